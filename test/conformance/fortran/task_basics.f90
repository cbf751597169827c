! Tasks as far as every Fortran compiler has them: task, taskwait, taskgroup, depend, final, if, taskyield.
! symbols: GOMP_task GOMP_taskwait GOMP_taskgroup_start GOMP_taskyield
! limit: 60
program task_basics
  use omp_lib
  implicit none
  integer :: answer

  call omp_set_dynamic(.false.)
  !$omp parallel num_threads(4) shared(answer)
  !$omp single
  answer = fib(15)
  !$omp end single
  !$omp end parallel
  if (answer /= 610) error stop 1
  call groups()
  call order()

contains

  recursive function fib(n) result(sum)
    integer, value :: n
    integer :: sum, a, b
    if (n < 2) then
      sum = n
    else
      !$omp task shared(a) firstprivate(n) final(n < 5)
      a = fib(n - 1)
      !$omp end task
      !$omp task shared(b) firstprivate(n) if(n > 3)
      b = fib(n - 2)
      !$omp end task
      !$omp taskwait
      sum = a + b
    end if
  end function fib

  subroutine groups()
    integer :: i, done
    done = 0
    !$omp parallel num_threads(4) shared(done)
    !$omp single
    !$omp taskgroup
    do i = 1, 100
      !$omp task shared(done)
      !$omp taskyield
      !$omp atomic
      done = done + 1
      !$omp end task
    end do
    !$omp end taskgroup
    if (done /= 100) error stop 2
    !$omp end single
    !$omp end parallel
  end subroutine groups

  subroutine order()
    integer :: round, x, y
    do round = 1, 50
      x = 0
      y = 0
      !$omp parallel num_threads(4) shared(x, y)
      !$omp single
      !$omp task depend(out: x) shared(x)
      x = 1
      !$omp end task
      !$omp task depend(in: x) depend(out: y) shared(x, y)
      y = x + 1
      !$omp end task
      !$omp task depend(inout: x) depend(in: y) shared(x, y)
      x = x + y + 10
      !$omp end task
      !$omp taskwait
      if (x /= 13 .or. y /= 2) error stop 3
      !$omp end single
      !$omp end parallel
    end do
  end subroutine order
end program task_basics
