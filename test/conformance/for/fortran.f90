! Worksharing in Fortran: DO with every schedule, ORDERED, SECTIONS, SINGLE COPYPRIVATE, WORKSHARE, doacross.
! symbols: GOMP_loop_nonmonotonic_dynamic_start GOMP_loop_nonmonotonic_guided_start
! symbols: GOMP_loop_maybe_nonmonotonic_runtime_start
! symbols: GOMP_loop_ordered_static_start GOMP_sections_start GOMP_single_copy_start GOMP_loop_doacross_dynamic_start
program fortran
  use omp_lib
  implicit none
  integer, parameter :: n = 200
  integer :: hits(n), line(n), order(n), i, next, threads, done, value
  real :: field(n)
  call omp_set_dynamic(.false.)
  do threads = 1, 9, 2
    hits = 0; order = 0; line = 0; next = 1; done = 0; field = 0
    !$omp parallel num_threads(threads) private(value)
    !$omp do schedule(dynamic)
    do i = 1, n
      hits(i) = hits(i) + 1
    end do
    !$omp do schedule(guided, 3)
    do i = n, 1, -1
      hits(i) = hits(i) + 1
    end do
    !$omp do schedule(runtime)
    do i = 1, n, 2
      hits(i) = hits(i) + 1
    end do
    !$omp do schedule(static, 4) ordered
    do i = 1, n
      !$omp ordered
      order(next) = i
      next = next + 1
      !$omp end ordered
    end do
    !$omp do schedule(dynamic, 2) ordered(1)
    do i = 1, n
      !$omp ordered depend(sink: i - 1)
      line(i) = 1
      if (i > 1) line(i) = line(i - 1) + 1
      !$omp ordered depend(source)
    end do
    !$omp sections
    !$omp section
    !$omp atomic
    done = done + 1
    !$omp section
    !$omp atomic
    done = done + 10
    !$omp end sections
    !$omp single
    value = threads * 7
    !$omp end single copyprivate(value)
    if (value /= threads * 7) stop 1
    !$omp workshare
    field = field + 1.5
    !$omp end workshare
    !$omp end parallel
    do i = 1, n
      if (hits(i) /= 2 + mod(i, 2)) stop 2
      if (order(i) /= i .or. line(i) /= i) stop 3
      if (field(i) /= 1.5) stop 4
    end do
    if (done /= 11) stop 5
  end do
end program fortran
