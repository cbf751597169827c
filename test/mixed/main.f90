! main.c in Fortran. See mixed.sh.
module parts
  use iso_c_binding
  use omp_lib
  implicit none
  integer, parameter :: threads = 3, count = 300, turns = 200
  integer(omp_lock_kind) :: lock
  integer(c_long) :: locked = 0
  integer(c_int), bind(c) :: library_threads
  interface
    function threads_now() bind(c)
      import :: c_int
      integer(c_int) :: threads_now
    end function threads_now
    function threads_at_most(most) bind(c)
      import :: c_int
      integer(c_int), value :: most
      integer(c_int) :: threads_at_most
    end function threads_at_most
    function library_sum(count, threads) bind(c)
      import :: c_int, c_long
      integer(c_int), value :: count, threads
      integer(c_long) :: library_sum
    end function library_sum
    function library_thread() bind(c)
      import :: c_int
      integer(c_int) :: library_thread
    end function library_thread
    function library_team() bind(c)
      import :: c_int
      integer(c_int) :: library_team
    end function library_team
    function library_level() bind(c)
      import :: c_int
      integer(c_int) :: library_level
    end function library_level
    function library_get() bind(c)
      import :: c_int
      integer(c_int) :: library_get
    end function library_get
    subroutine library_set(value) bind(c)
      import :: c_int
      integer(c_int), value :: value
    end subroutine library_set
    subroutine library_loop(count, hits) bind(c)
      import :: c_int
      integer(c_int), value :: count
      integer(c_int) :: hits(*)
    end subroutine library_loop
    subroutine library_locked(lock, count) bind(c)
      import :: c_long, omp_lock_kind
      integer(omp_lock_kind) :: lock
      integer(c_long) :: count
    end subroutine library_locked
    subroutine library_region(threads, each, data) bind(c)
      import :: c_int, c_funptr, c_ptr
      integer(c_int), value :: threads
      type(c_funptr), value :: each
      type(c_ptr), value :: data
    end subroutine library_region
  end interface
contains

  subroutine pool()
    integer :: turn, i, before
    integer(c_long) :: sum
    before = threads_now()
    do turn = 1, turns
      sum = 0
      !$omp parallel do reduction(+: sum) num_threads(threads)
      do i = 0, count - 1
        sum = sum + i
      end do
      !$omp end parallel do
      if (sum /= library_sum(count, threads)) error stop 1
    end do
    if (threads_now() < threads .or. threads_at_most(before + threads - 1) == 0) error stop 2
  end subroutine pool

  subroutine same_team()
    integer(c_int) :: hits(count)
    integer :: turn, i
    hits = 0
    !$omp parallel num_threads(threads) private(turn)
    if (library_thread() /= omp_get_thread_num() .or. library_team() /= threads) error stop 3
    if (library_level() /= 1) error stop 4
    do turn = 1, turns
      call library_loop(count, hits)
      !$omp do schedule(dynamic, 7)
      do i = 1, count
        hits(i) = hits(i) + 1
      end do
      !$omp end do
    end do
    !$omp end parallel
    if (library_threads /= threads .or. any(hits /= 2 * turns)) error stop 5
  end subroutine same_team

  subroutine nested()
    integer(c_long) :: sums
    sums = 0
    call omp_set_max_active_levels(2)
    !$omp parallel num_threads(2) reduction(+: sums)
    sums = sums + library_sum(count, 2)
    !$omp end parallel
    if (sums /= 2 * (count * (count - 1) / 2)) error stop 6
  end subroutine nested

  subroutine count_locked(data) bind(c)
    type(c_ptr), value :: data
    integer :: i
    if (c_associated(data)) error stop 7
    do i = 1, turns
      call omp_set_lock(lock)
      locked = locked + 1
      call omp_unset_lock(lock)
      call library_locked(lock, locked)
    end do
  end subroutine count_locked

  subroutine locks()
    call omp_init_lock(lock)
    call library_region(threads, c_funloc(count_locked), c_null_ptr)
    if (locked /= 2 * threads * turns) error stop 8
    call omp_destroy_lock(lock)
  end subroutine locks

  subroutine private_to_threads()
    !$omp parallel num_threads(threads)
    if (library_get() /= 3) error stop 9
    call library_set(10 + omp_get_thread_num())
    !$omp end parallel
    !$omp parallel num_threads(threads)
    if (library_get() /= 10 + omp_get_thread_num()) error stop 10
    !$omp end parallel
  end subroutine private_to_threads
end module parts

program main
  use parts
  implicit none
  call pool()
  call private_to_threads()
  call same_team()
  call nested()
  call locks()
end program main
