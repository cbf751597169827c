! Levels of nesting and places by the names with `_`, which flang's code calls without an interface: as on libomp.
!
! symbols: omp_get_supported_active_levels_ omp_get_max_active_levels_ omp_set_max_active_levels_ omp_get_proc_bind_
! symbols: omp_get_nested_ omp_set_nested_
! symbols: omp_get_num_places_ omp_get_place_num_ omp_get_place_num_procs_ omp_get_place_proc_ids_
! symbols: omp_get_partition_num_places_ omp_get_partition_place_nums_
! env: OMP_NUM_THREADS=2,2 OMP_PROC_BIND=false
! ghcomp-only: libomp takes the number of a place by value, which no code without an interface passes
program levels_fortran
  implicit none
  integer, external :: omp_get_supported_active_levels, omp_get_max_active_levels, omp_get_proc_bind, omp_get_nested
  integer, external :: omp_get_num_places, omp_get_place_num, omp_get_place_num_procs, omp_get_partition_num_places
  integer :: ids(1024), nums(2)

  if (omp_get_supported_active_levels() /= huge(1)) error stop 1
  if (omp_get_max_active_levels() /= huge(1)) error stop 2
  call omp_set_max_active_levels(1000)
  if (omp_get_max_active_levels() /= 1000) error stop 3
  call omp_set_nested(1)
  if (omp_get_max_active_levels() /= 1000 .or. omp_get_nested() /= 1) error stop 8
  call omp_set_nested(0)
  if (omp_get_max_active_levels() /= 1 .or. omp_get_nested() /= 0) error stop 9
  if (omp_get_proc_bind() /= 0) error stop 4
  if (omp_get_num_places() /= 1 .or. omp_get_place_num() /= 0 .or. omp_get_partition_num_places() /= 1) error stop 5
  if (omp_get_place_num_procs(0) < 1 .or. omp_get_place_num_procs(1) /= 0) error stop 6
  ids = -1
  nums = -1
  call omp_get_place_proc_ids(0, ids)
  call omp_get_partition_place_nums(nums)
  if (ids(1) < 0 .or. nums(1) /= 0 .or. nums(2) /= -1) error stop 7
end program levels_fortran
