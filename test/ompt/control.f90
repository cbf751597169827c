! omp_control_tool from Fortran: without a tool it is -2, with one what its callback returns. Compiled and run by
! loading.py.
program control
  use iso_c_binding
  implicit none
  interface
    integer function omp_control_tool(command, modifier, arg)
      import :: c_ptr
      integer :: command, modifier
      type(c_ptr) :: arg
    end function
  end interface
  integer :: got
  type(c_ptr) :: nothing
  nothing = c_null_ptr
  got = omp_control_tool(1, 0, nothing)
  print '(a, i0)', 'control ', got
end program
