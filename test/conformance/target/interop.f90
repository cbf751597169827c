! The routines for interoperability objects that return strings, with the interfaces of GCC 16's omp_lib.
! ghcomp-only: libgomp 12 lacks the routines
! Found with dlsym, because the program must link with any libgomp.
! symbols: omp_get_interop_name_ omp_get_interop_str_ omp_get_interop_type_desc_ omp_get_interop_rc_desc_
program interop
  use iso_c_binding
  use omp_lib, only: omp_get_num_devices
  implicit none
  abstract interface
    character(:) function str_of(interop, property_id, ret_code)
      import :: c_intptr_t
      pointer :: str_of
      integer(c_intptr_t), intent(in), value :: interop
      integer, value :: property_id
      integer, optional, intent(out) :: ret_code
    end function
    character(:) function name_of(interop, property_id)
      import :: c_intptr_t
      pointer :: name_of
      integer(c_intptr_t), intent(in), value :: interop
      integer, value :: property_id
    end function
    character(:) function type_of(interop, property_id)
      import :: c_intptr_t
      pointer :: type_of
      integer(c_intptr_t), intent(in), value :: interop
      integer, value :: property_id
    end function
    character(:) function text_of(interop, ret_code)
      import :: c_intptr_t
      pointer :: text_of
      integer(c_intptr_t), intent(in), value :: interop
      integer, value :: ret_code
    end function
  end interface
  include 'dlsym.h'
  procedure(str_of), pointer :: omp_get_interop_str
  procedure(name_of), pointer :: omp_get_interop_name
  procedure(type_of), pointer :: omp_get_interop_type_desc
  procedure(text_of), pointer :: omp_get_interop_rc_desc
  integer(c_intptr_t), parameter :: none = 0
  character(:), pointer :: text
  integer :: code

  if (omp_get_num_devices() /= 0) stop 20
  call c_f_procpointer(dlsym(c_null_ptr, "omp_get_interop_str_" // c_null_char), omp_get_interop_str)
  call c_f_procpointer(dlsym(c_null_ptr, "omp_get_interop_name_" // c_null_char), omp_get_interop_name)
  call c_f_procpointer(dlsym(c_null_ptr, "omp_get_interop_type_desc_" // c_null_char), omp_get_interop_type_desc)
  call c_f_procpointer(dlsym(c_null_ptr, "omp_get_interop_rc_desc_" // c_null_char), omp_get_interop_rc_desc)

  text => omp_get_interop_name(none, -8)
  if (len(text) /= 14 .or. text /= "device_context") stop 1
  text => omp_get_interop_name(none, 1)
  if (associated(text)) stop 2
  code = 7
  text => omp_get_interop_str(none, -2, code)
  if (associated(text) .or. code /= -1) stop 3
  text => omp_get_interop_str(none, -10, code)
  if (associated(text) .or. code /= -2) stop 4
  text => omp_get_interop_str(none, -2)
  if (associated(text)) stop 5
  text => omp_get_interop_type_desc(none, -1)
  if (associated(text)) stop 6
  text => omp_get_interop_rc_desc(none, -2)
  if (text /= "property ID is out of range") stop 7
  text => omp_get_interop_rc_desc(none, 2)
  if (associated(text)) stop 8
end program
