! library.c in Fortran, with the same names for C. See mixed.sh.
module library
  use iso_c_binding
  use omp_lib
  implicit none
  integer(c_int), bind(c) :: library_threads
  integer(c_int), save :: own = 3
  !$omp threadprivate(own)
  abstract interface
    subroutine each_of(data) bind(c)
      import :: c_ptr
      type(c_ptr), value :: data
    end subroutine each_of
  end interface
contains

  function library_sum(count, threads) result(sum) bind(c)
    integer(c_int), value :: count, threads
    integer(c_long) :: sum
    integer :: i
    sum = 0
    !$omp parallel do reduction(+: sum) num_threads(threads) schedule(dynamic, 5)
    do i = 0, count - 1
      sum = sum + i
    end do
    !$omp end parallel do
  end function library_sum

  function library_thread() result(number) bind(c)
    integer(c_int) :: number
    number = omp_get_thread_num()
  end function library_thread

  function library_team() result(number) bind(c)
    integer(c_int) :: number
    number = omp_get_num_threads()
  end function library_team

  function library_level() result(number) bind(c)
    integer(c_int) :: number
    number = omp_get_level()
  end function library_level

  subroutine library_loop(count, hits) bind(c)
    integer(c_int), value :: count
    integer(c_int) :: hits(count)
    integer :: i
    !$omp do schedule(static)
    do i = 1, count
      hits(i) = hits(i) + 1
    end do
    !$omp end do
    !$omp single
    library_threads = omp_get_num_threads()
    !$omp end single
  end subroutine library_loop

  subroutine library_locked(lock, count) bind(c)
    integer(omp_lock_kind) :: lock
    integer(c_long) :: count
    call omp_set_lock(lock)
    count = count + 1
    call omp_unset_lock(lock)
  end subroutine library_locked

  subroutine library_set(value) bind(c)
    integer(c_int), value :: value
    own = value
  end subroutine library_set

  function library_get() result(value) bind(c)
    integer(c_int) :: value
    value = own
  end function library_get

  subroutine library_region(threads, each, data) bind(c)
    integer(c_int), value :: threads
    type(c_funptr), value :: each
    type(c_ptr), value :: data
    procedure(each_of), pointer :: call_it
    call c_f_procpointer(each, call_it)
    !$omp parallel num_threads(threads)
    call call_it(data)
    !$omp end parallel
  end subroutine library_region
end module library
