! Target constructs in Fortran: mapped, firstprivate and allocatable data, leagues, data constructs, routines.
! symbols: GOMP_target_ext GOMP_teams4
program regions
  use omp_lib
  use iso_c_binding
  implicit none
  integer :: i, total, number, fixed(100)
  integer, allocatable :: array(:)
  integer, target :: from(10), to(10)
  character(len=:), allocatable :: text

  allocate(array(100), source=1)
  text = "hello"
  fixed = 1
  total = 0
  number = 5
  call omp_set_num_threads(3)
  !$omp target map(tofrom: total) firstprivate(fixed, number)
    if (omp_get_level() /= 0 .or. omp_get_num_teams() /= 1) stop 1
    if (.not. omp_is_initial_device()) stop 2
    fixed(5) = 17
    number = number + 1
    total = sum(fixed) + number
  !$omp end target
  if (total /= 99 + 17 + 6) stop 3
  if (fixed(5) /= 1 .or. number /= 5) stop 4

  !$omp target data map(tofrom: array)
    !$omp target teams distribute parallel do num_teams(2) map(array)
    do i = 1, 100
      array(i) = i
    end do
    !$omp target update from(array)
    if (sum(array) /= 5050) stop 5
  !$omp end target data
  if (sum(array) /= 5050) stop 6

  total = 0
  !$omp target parallel do reduction(+: total) map(tofrom: total) num_threads(4)
  do i = 1, 100
    total = total + array(i)
  end do
  if (total /= 5050) stop 7

  !$omp target enter data map(to: array)
  !$omp target map(tofrom: text)
    text(1:1) = "j"
  !$omp end target
  !$omp target exit data map(from: array)
  if (text /= "jello") stop 8

  from = [(i, i = 1, 10)]
  to = 0
  if (omp_target_memcpy(c_loc(to), c_loc(from), 12_c_size_t, 8_c_size_t, 4_c_size_t, 0, 0) /= 0) stop 9
  if (any(to /= [0, 0, 2, 3, 4, 0, 0, 0, 0, 0])) stop 10
  if (omp_target_is_present(c_loc(to), omp_get_initial_device()) == 0) stop 11
end program
