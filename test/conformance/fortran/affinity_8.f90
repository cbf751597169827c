! Places asked for with integers of eight bytes: the same numbers as with four.
! env: OMP_PLACES={0},{0} OMP_PROC_BIND=close
! symbols: omp_get_place_num_procs_8_ omp_get_place_proc_ids_8_ omp_get_partition_place_nums_8_
program affinity_8
  use omp_lib
  implicit none
  integer(8) :: place, ids(64), nums(64)
  integer :: ids4(64), nums4(64), procs, parts, places

  places = omp_get_num_places()
  if (places < 1) error stop 1
  ids = -7_8
  ids4 = -7
  nums = -7_8
  nums4 = -7
  do place = 0_8, int(places - 1, 8)
    procs = omp_get_place_num_procs(place)
    if (procs < 1 .or. procs /= omp_get_place_num_procs(int(place))) error stop 2
    call omp_get_place_proc_ids(place, ids)
    call omp_get_place_proc_ids(int(place), ids4)
    if (any(ids /= ids4)) error stop 3
  end do
  if (ids(1) /= 0_8 .or. ids(64) /= -7_8) error stop 4
  parts = omp_get_partition_num_places()
  call omp_get_partition_place_nums(nums)
  call omp_get_partition_place_nums(nums4)
  if (parts < 1 .or. any(nums /= nums4) .or. nums(64) /= -7_8) error stop 5
  place = 1000_8
  if (omp_get_place_num_procs(place) /= 0) error stop 6
  place = 2_8**32
  if (omp_get_place_num_procs(place) /= 0) error stop 7
end program affinity_8
