! The host's unique identifier, with the interfaces of GCC 16's omp_lib.
! ghcomp-only: libgomp 12 lacks the routines
! Found with dlsym, because the program must link with any libgomp.
! symbols: omp_get_uid_from_device_ omp_get_uid_from_device_8_ omp_get_device_from_uid_
program uid
  use iso_c_binding
  use omp_lib, only: omp_get_num_devices
  implicit none
  abstract interface
    integer(c_int) function from_uid(uid)
      import :: c_int
      character, intent(in) :: uid(*)
    end function
    character(:) function uid_of(device_num)
      import :: c_int32_t
      pointer :: uid_of
      integer(c_int32_t), intent(in), value :: device_num
    end function
    character(:) function uid_of_8(device_num)
      import :: c_int64_t
      pointer :: uid_of_8
      integer(c_int64_t), intent(in), value :: device_num
    end function
  end interface
  include 'dlsym.h'
  procedure(from_uid), pointer :: omp_get_device_from_uid
  procedure(uid_of), pointer :: omp_get_uid_from_device
  procedure(uid_of_8), pointer :: omp_get_uid_from_device_8
  character(:), pointer :: name
  character(len=30) :: longer

  if (omp_get_num_devices() /= 0) stop 20
  call c_f_procpointer(dlsym(c_null_ptr, "omp_get_device_from_uid_" // c_null_char), omp_get_device_from_uid)
  call c_f_procpointer(dlsym(c_null_ptr, "omp_get_uid_from_device_" // c_null_char), omp_get_uid_from_device)
  call c_f_procpointer(dlsym(c_null_ptr, "omp_get_uid_from_device_8_" // c_null_char), omp_get_uid_from_device_8)

  name => omp_get_uid_from_device(0)
  if (.not. associated(name)) stop 1
  if (len(name) /= 18 .or. name /= "OMP_INITIAL_DEVICE") stop 2
  if (omp_get_device_from_uid(name) /= -1) stop 3
  name => omp_get_uid_from_device(3)
  if (associated(name)) stop 4
  name => omp_get_uid_from_device_8(-1_c_int64_t)
  if (len(name) /= 18 .or. name /= "OMP_INITIAL_DEVICE") stop 5
  name => omp_get_uid_from_device_8(4294967296_c_int64_t)
  if (associated(name)) stop 6

  longer = "xOMP_INITIAL_DEVICEyz"
  if (omp_get_device_from_uid(longer(2:19)) /= -1) stop 7
  if (omp_get_device_from_uid(longer(2:18)) /= -4) stop 8
  if (omp_get_device_from_uid(longer(2:20)) /= -4) stop 9
  if (omp_get_device_from_uid("") /= -4) stop 10
end program
