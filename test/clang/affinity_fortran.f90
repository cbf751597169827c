! Fortran's affinity routines of flang's code, as on libomp: the default format, formats that libgomp refuses, lines on
! standard output, the one place of threads that are not bound.
!
! symbols: omp_get_affinity_format_ omp_capture_affinity_ omp_display_affinity_
! env: OMP_PROC_BIND=false
! expect-stdout: ^shown 0$
program affinity_fortran
  use omp_lib
  implicit none
  character(len=80) :: text
  integer :: length, nums(2), ids(1024)

  length = int(omp_get_affinity_format(text))
  if (length /= 54 .or. text /= 'OMP: pid %P tid %i thread %n bound to OS proc set {%A}') error stop 1
  length = int(omp_capture_affinity(text, '%05n|%.n|%{foobar}'))
  if (length /= 17 .or. text /= '0    |0|undefined') error stop 2
  call omp_display_affinity('shown %n')
  if (omp_get_proc_bind() /= omp_proc_bind_false) error stop 8
  if (omp_get_num_places() /= 1 .or. omp_get_place_num() /= 0) error stop 3
  if (omp_get_partition_num_places() /= 1) error stop 4
  nums = -1
  call omp_get_partition_place_nums(nums)
  if (nums(1) /= 0 .or. nums(2) /= -1) error stop 5
  if (omp_get_place_num_procs(0) < 1 .or. omp_get_place_num_procs(1) /= 0) error stop 6
  ids = -1
  call omp_get_place_proc_ids(0, ids)
  if (ids(1) < 0 .or. ids(omp_get_place_num_procs(0)) < 0) error stop 7
end program affinity_fortran
