! The constructs of a Fortran program that every compiler has: regions with all sharing clauses, loops with each
! schedule, reductions, sections, single, critical, atomic, threadprivate variables, locks, nested regions.
! symbols: GOMP_parallel GOMP_barrier GOMP_loop_dynamic_start GOMP_sections_start GOMP_critical_name_start
! cflags: -cpp
! env: OMP_DYNAMIC=false OMP_MAX_ACTIVE_LEVELS=2 OMP_SCHEDULE=guided,3
program constructs
  use omp_lib
  implicit none
  integer, parameter :: threads = 4

  call omp_set_num_threads(threads)
  call sharing()
  call loops()
  call reductions()
  call parts()
  call exclusion()
  call private_to_threads()
  call nested()

contains

  subroutine sharing()
    integer :: a, b, seen(0:threads - 1)
    a = 7
    b = -1
    seen = 0
    !$omp parallel default(none) firstprivate(a) private(b) shared(seen)
    b = omp_get_thread_num()
    a = a + b
    seen(b) = a
    !$omp end parallel
    if (any(seen /= [7, 8, 9, 10]) .or. a /= 7 .or. b /= -1) error stop 1
    !$omp parallel num_threads(3) if(a < 0)
    if (omp_get_num_threads() /= 1) error stop 2
    !$omp end parallel
    !$omp parallel num_threads(3)
    if (omp_get_num_threads() /= 3 .or. .not. omp_in_parallel()) error stop 3
    !$omp end parallel
  end subroutine sharing

  subroutine loops()
    integer, parameter :: n = 1000
    integer :: i, j, last, times(n), square(30, 40)
    integer(8) :: k, big(10)
    times = 0
    !$omp parallel
    !$omp do schedule(static)
    do i = 1, n
      times(i) = times(i) + 1
    end do
    !$omp end do
    !$omp do schedule(static, 7)
    do i = n, 1, -1
      times(i) = times(i) + 1
    end do
    !$omp end do
    !$omp do schedule(dynamic, 3)
    do i = 1, n
      times(i) = times(i) + 1
    end do
    !$omp end do
    !$omp do schedule(guided)
    do i = 1, n, 2
      times(i) = times(i) + 1
    end do
    !$omp end do
    !$omp do schedule(runtime)
    do i = 2, n, 2
      times(i) = times(i) + 1
    end do
    !$omp end do nowait
    !$omp end parallel
    if (any(times /= 4)) error stop 11
    last = 0
    !$omp parallel do lastprivate(last)
    do i = 1, n
      last = i * 2
    end do
    !$omp end parallel do
    if (last /= 2 * n) error stop 12
    square = 0
    !$omp parallel do collapse(2)
    do i = 1, 40
      do j = 1, 30
        square(j, i) = square(j, i) + j * 100 + i
      end do
    end do
    !$omp end parallel do
    do i = 1, 40
      do j = 1, 30
        if (square(j, i) /= j * 100 + i) error stop 13
      end do
    end do
    big = 0
    !$omp parallel do schedule(dynamic)
    do k = 5000000001_8, 5000000010_8
      big(k - 5000000000_8) = k
    end do
    !$omp end parallel do
    if (any(big /= [(5000000000_8 + i, i = 1, 10)])) error stop 14
    call empty(0)
    call empty(-7)
  end subroutine loops

  subroutine empty(n)
    integer, intent(in) :: n
    integer :: i
    integer(8) :: k
    !$omp parallel
    !$omp do
    do i = 1, n
      error stop 15
    end do
    !$omp end do
    !$omp do schedule(static, 3)
    do i = 1, n
      error stop 16
    end do
    !$omp end do
    !$omp do schedule(dynamic)
    do i = 1, n
      error stop 17
    end do
    !$omp end do
    !$omp do
    do k = 1_8, int(n, 8)
      error stop 18
    end do
    !$omp end do
    !$omp do collapse(2)
    do i = 1, 3
      do k = 1_8, int(n, 8)
        error stop 19
      end do
    end do
    !$omp end do
    !$omp end parallel
  end subroutine empty

  subroutine reductions()
    integer, parameter :: n = 1000
    integer :: i, total, least, most, bits
    real(8) :: product_of
    logical :: every, some
    total = 100
    product_of = 1
    least = huge(least)
    most = -huge(most)
    bits = 0
    every = .true.
    some = .false.
    !$omp parallel do reduction(+: total) reduction(min: least) reduction(max: most) reduction(ior: bits) &
    !$omp reduction(.and.: every) reduction(.or.: some)
    do i = 1, n
      total = total + i
      least = min(least, abs(i - 500))
      most = max(most, i)
      bits = ior(bits, i)
      every = every .and. i > 0
      some = some .or. i == 77
    end do
    !$omp end parallel do
    if (total /= 100 + n * (n + 1) / 2 .or. least /= 0 .or. most /= n .or. bits /= 1023) error stop 21
    if (.not. every .or. .not. some) error stop 22
    !$omp parallel reduction(*: product_of)
    product_of = product_of * 2
    !$omp end parallel
    if (product_of /= 2d0 ** threads) error stop 23
  end subroutine reductions

  subroutine parts()
    integer :: ran(3), alone, copied, i
    ran = 0
    alone = 0
    !$omp parallel private(copied) shared(ran, alone)
    !$omp sections
    !$omp section
    ran(1) = ran(1) + 1
    !$omp section
    ran(2) = ran(2) + 1
    !$omp section
    ran(3) = ran(3) + 1
    !$omp end sections
    do i = 1, 20
      !$omp single
      alone = alone + 1
      !$omp end single
    end do
    copied = -1
    !$omp single
    copied = 42
    !$omp end single copyprivate(copied)
    if (copied /= 42) error stop 31
    !$omp barrier
    !$omp master
    alone = alone + 100
    !$omp end master
    !$omp end parallel
    if (any(ran /= 1) .or. alone /= 120) error stop 32
  end subroutine parts

  subroutine exclusion()
    integer(omp_lock_kind) :: lock
    integer(omp_nest_lock_kind) :: nest
    integer :: i, first, second, third, fourth, fifth
    first = 0
    second = 0
    third = 0
    fourth = 0
    fifth = 0
    call omp_init_lock(lock)
    call omp_init_nest_lock(nest)
    !$omp parallel private(i)
    do i = 1, 500
      !$omp critical
      first = first + 1
      !$omp end critical
      !$omp critical (named)
      second = second + 1
      !$omp end critical (named)
      !$omp atomic
      third = third + 1
      call omp_set_lock(lock)
      fourth = fourth + 1
      call omp_unset_lock(lock)
      call omp_set_nest_lock(nest)
      call omp_set_nest_lock(nest)
      fifth = fifth + 1
      call omp_unset_nest_lock(nest)
      call omp_unset_nest_lock(nest)
      !$omp flush
    end do
    !$omp end parallel
    call omp_destroy_lock(lock)
    call omp_destroy_nest_lock(nest)
    if (any([first, second, third, fourth, fifth] /= 500 * threads)) error stop 41
  end subroutine exclusion

  subroutine private_to_threads()
    integer, save :: own = 5
    !$omp threadprivate(own)
    own = 9
    !$omp parallel copyin(own)
    if (own /= 9) error stop 51
    own = own + omp_get_thread_num()
    !$omp end parallel
    !$omp parallel
    if (own /= 9 + omp_get_thread_num()) error stop 52
    !$omp end parallel
  end subroutine private_to_threads

  subroutine nested()
    integer :: count
    count = 0
    !$omp parallel num_threads(2) shared(count)
    !$omp parallel num_threads(3) shared(count)
    if (omp_get_level() /= 2 .or. omp_get_team_size(1) /= 2) error stop 61
    !$omp atomic
    count = count + 1
    !$omp end parallel
    !$omp end parallel
    if (count /= 6) error stop 62
  end subroutine nested
end program constructs
