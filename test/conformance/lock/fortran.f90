! Locks as a Fortran program uses them.
! limit: 60
program locks
  use omp_lib
  implicit none
  integer (omp_lock_kind) :: lock
  integer (omp_nest_lock_kind) :: nest
  integer :: i, counter, nested
  counter = 0
  nested = 0
  call omp_init_lock (lock)
  call omp_init_nest_lock (nest)
  !$omp parallel num_threads(4) private(i)
  do i = 1, 1000
     call omp_set_lock (lock)
     counter = counter + 1
     call omp_unset_lock (lock)
     call omp_set_nest_lock (nest)
     if (omp_test_nest_lock (nest) /= 2) stop 1
     nested = nested + 1
     call omp_unset_nest_lock (nest)
     call omp_unset_nest_lock (nest)
  end do
  !$omp end parallel
  if (counter /= 4000 .or. nested /= 4000) stop 2
  if (.not. omp_test_lock (lock)) stop 3
  if (omp_test_lock (lock)) stop 4
  call omp_unset_lock (lock)
  call omp_destroy_lock (lock)
  call omp_destroy_nest_lock (nest)
end program
