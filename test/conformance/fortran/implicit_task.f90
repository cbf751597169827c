! The Fortran form of a routine that gfortran 12's omp_lib, and the libgomp that the linker sees, do not have.
! ghcomp-only: libgomp 12 does not have this routine of OpenMP 5.2
! symbols: omp_in_explicit_task_
program implicit_task
  use iso_c_binding
  implicit none
  abstract interface
    function answer()
      logical :: answer
    end function answer
  end interface
  interface
    function dlsym(handle, name) bind(c)
      import :: c_ptr, c_funptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr) :: dlsym
    end function dlsym
  end interface
  procedure(answer), pointer :: in_explicit_task
  type(c_funptr) :: found

  found = dlsym(c_null_ptr, 'omp_in_explicit_task_' // c_null_char)
  if (.not. c_associated(found)) error stop 1
  call c_f_procpointer(found, in_explicit_task)
  if (in_explicit_task()) error stop 2
  !$omp parallel num_threads(2)
  if (in_explicit_task()) error stop 3
  !$omp end parallel
end program implicit_task
