! Tasks from Fortran: task, taskwait, taskgroup, taskloop, depend, task reductions, detach.
! limit: 60
! cflags: -cpp
! symbols: GOMP_task GOMP_taskwait GOMP_taskgroup_start GOMP_taskloop omp_fulfill_event_ omp_in_final_
! symbols: GOMP_taskgroup_reduction_register
program tasks
  use omp_lib
  implicit none
  integer :: threads

  call omp_set_dynamic(.false.)
  call omp_set_max_active_levels(2)
  call plain(1)
  threads = 1
  do while (threads <= 8)
    !$omp parallel num_threads(threads)
    call plain(omp_get_thread_num() + 1)
    !$omp single
    call loops()
    call dependences()
    call reductions()
    call events()
    !$omp end single
    !$omp task
    call plain(20)
    call dependences()
    !$omp end task
    !$omp end parallel
    threads = 2 * threads
  end do

contains

  recursive integer function fib(n) result(f)
    integer, intent(in) :: n
    integer :: a, b
    if (n < 2) then
      f = n
      return
    end if
    !$omp task shared(a)
    a = fib(n - 1)
    !$omp end task
    !$omp task shared(b) if(n > 5) final(n < 4)
    b = fib(n - 2)
    !$omp end task
    !$omp taskwait
    f = a + b
  end function

  subroutine plain(n)
    integer, intent(in) :: n
    integer :: i, total
    real(8) :: field(n, 3)
    character(len=n) :: text
    total = 0
    call check(fib(12) == 144, __LINE__)
    field = 1.5d0
    text = repeat('x', n)
    !$omp taskgroup
    do i = 1, 20
      ! An array and a text whose sizes the compiler does not know.
      !$omp task firstprivate(field, text, i) shared(total)
      call check(all(field == 1.5d0) .and. text == repeat('x', n), __LINE__)
      field = i
      text = ''
      !$omp atomic
      total = total + i
      !$omp end task
      !$omp task if(.false.) final(.true.)
      call check(omp_in_final(), __LINE__)
      !$omp end task
    end do
    !$omp end taskgroup
    call check(total == 210, __LINE__)
  end subroutine

  subroutine loops()
    integer :: i, j, last
    integer(8) :: k
    integer :: seen(100), square(10, 10)
    seen = 0
    !$omp taskloop grainsize(7) lastprivate(last) shared(seen)
    do i = 100, 1, -1
      seen(i) = seen(i) + 1
      last = i
    end do
    !$omp end taskloop
    call check(all(seen == 1) .and. last == 1, __LINE__)
    !$omp taskloop num_tasks(5) shared(seen)
    do k = 1_8, 100_8, 3_8
      seen(k) = seen(k) + 1
    end do
    call check(sum(seen) == 134, __LINE__)
    square = 0
    !$omp taskloop collapse(2) shared(square)
    do i = 1, 10
      do j = 1, 10
        square(j, i) = square(j, i) + i * j
      end do
    end do
    call check(sum(square) == 3025, __LINE__)
  end subroutine

  subroutine dependences()
    integer :: x, y, i
    x = 0
    y = 0
    do i = 1, 20
      !$omp task depend(inout: x) shared(x) firstprivate(i)
      call check(x == i - 1, __LINE__)
      x = i
      !$omp end task
      !$omp task depend(in: x) depend(mutexinoutset: y) shared(x, y) firstprivate(i)
      call check(x == i, __LINE__)
      y = y + 1
      !$omp end task
    end do
    !$omp taskwait depend(in: y)
    call check(y == 20, __LINE__)
    !$omp taskwait
  end subroutine

  subroutine reductions()
    integer :: i, total, largest
    real(8) :: list(5)
    total = 100
    largest = -1
    list = 0
    !$omp taskgroup task_reduction(+: total, list) task_reduction(max: largest)
    do i = 1, 50
      !$omp task in_reduction(+: total, list) in_reduction(max: largest) firstprivate(i)
      total = total + i
      largest = max(largest, i)
      list(1 + mod(i, 5)) = list(1 + mod(i, 5)) + 1
      !$omp end task
    end do
    !$omp end taskgroup
    call check(total == 1375 .and. largest == 50 .and. all(list == 10), __LINE__)
    total = 0
    !$omp taskloop reduction(+: total) num_tasks(6)
    do i = 1, 100
      total = total + i
    end do
    call check(total == 5050, __LINE__)
    total = 0
    !$omp parallel num_threads(2) reduction(task, +: total)
    !$omp task in_reduction(+: total)
    total = total + 1
    !$omp end task
    !$omp end parallel
    call check(total == 2, __LINE__)
  end subroutine

  subroutine events()
    integer(omp_event_handle_kind) :: event
    integer :: done, after, seen
    done = 0
    after = 0
    !$omp task detach(event) depend(out: done) shared(done)
    done = 1
    !$omp end task
    !$omp task depend(in: done) shared(done, after)
    call check(done == 1, __LINE__)
    after = 1
    !$omp end task
    !$omp atomic read
    seen = after
    call check(seen == 0, __LINE__)
    call omp_fulfill_event(event)
    !$omp taskwait
    call check(after == 1, __LINE__)
  end subroutine

  subroutine check(holds, line)
    logical, intent(in) :: holds
    integer, intent(in) :: line
    if (holds) return
    print *, 'line ', line, ' does not hold'
    stop 1
  end subroutine
end program
