! A program whose default integers and logicals have eight bytes, and values that four bytes cannot hold.
! cflags: -cpp -fdefault-integer-8 -Wno-deprecated-declarations
! symbols: omp_set_num_threads_8_ omp_set_dynamic_8_ omp_get_schedule_8_ omp_set_schedule_8_
! symbols: omp_get_ancestor_thread_num_8_ omp_get_team_size_8_
program default_integer_8
  use omp_lib
  implicit none
  integer :: chunk, sum
  integer(omp_sched_kind) :: kind

  call omp_set_dynamic(.true.)
  call check(logical(omp_get_dynamic()), __LINE__)
  call omp_set_dynamic(.false.)
  call omp_set_num_threads(4)
  sum = 0
  !$omp parallel reduction(+:sum)
  sum = sum + omp_get_thread_num()
  call check(omp_get_team_size(1) == 4, __LINE__)
  call check(omp_get_ancestor_thread_num(1) == omp_get_thread_num(), __LINE__)
  !$omp end parallel
  call check(sum == 6, __LINE__)
  call omp_set_schedule(omp_sched_dynamic, 5)
  call omp_get_schedule(kind, chunk)
  call check(kind == omp_sched_dynamic .and. chunk == 5, __LINE__)
  ! Cut to four bytes these would be 3, 0 and 1.
  call omp_set_num_threads(-2_8**32 + 3)
  call check(omp_get_max_threads() == 1, __LINE__)
  call check(omp_get_team_size(2_8**32) == -1, __LINE__)
  call check(omp_get_ancestor_thread_num(-2_8**32) == -1, __LINE__)

contains
  include '../check_fortran.h'
end program default_integer_8
