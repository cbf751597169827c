! Affinity from Fortran: place numbers, and characters of any length, without end mark, padded with blanks.
! env: OMP_PLACES={0} OMP_PROC_BIND=close
! expect-stderr: \Ashown 0 \n\Z
! symbols: omp_get_proc_bind_ omp_get_num_places_ omp_get_place_num_ omp_get_place_num_procs_
! symbols: omp_get_place_proc_ids_ omp_get_partition_num_places_ omp_get_partition_place_nums_
! symbols: omp_set_affinity_format_ omp_get_affinity_format_ omp_capture_affinity_ omp_display_affinity_
program affinity
  use omp_lib
  implicit none
  integer :: ids(8), nums(8)
  character(len=12) :: text

  if (omp_get_proc_bind() /= omp_proc_bind_close) error stop 1
  if (omp_get_num_places() /= 1 .or. omp_get_place_num() /= 0) error stop 2
  if (omp_get_place_num_procs(0) /= 1 .or. omp_get_place_num_procs(1) /= 0) error stop 3
  ids = -7
  call omp_get_place_proc_ids(0, ids)
  if (ids(1) /= 0 .or. ids(2) /= -7) error stop 4
  nums = -7
  call omp_get_partition_place_nums(nums)
  if (omp_get_partition_num_places() /= 1 .or. nums(1) /= 0 .or. nums(2) /= -7) error stop 5

  call omp_set_affinity_format('fmt %n  ')
  text = repeat('z', len(text))
  if (omp_get_affinity_format(text) /= 8 .or. text /= 'fmt %n') error stop 6
  text = repeat('z', len(text))
  if (omp_get_affinity_format(text(1:3)) /= 8 .or. text /= 'fmtzzzzzzzzz') error stop 7
  if (omp_capture_affinity(text, ' %n %n') /= 4 .or. text /= ' 0 0') error stop 8
  if (omp_capture_affinity(text, '') /= 7 .or. text /= 'fmt 0') error stop 9
  text = repeat('z', len(text))
  if (omp_capture_affinity(text(1:2), 'abc%n') /= 4 .or. text /= 'abzzzzzzzzzz') error stop 10
  call omp_display_affinity('shown %n ')
end program affinity
