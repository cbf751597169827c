  ! For Fortran programs that call what not every libgomp has.
  interface
    type(c_funptr) function dlsym(handle, name) bind(C)
      import :: c_ptr, c_funptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
    end function
  end interface
