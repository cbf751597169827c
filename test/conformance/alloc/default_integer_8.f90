! omp_init_allocator with a number of traits that has eight bytes.
! cflags: -cpp -fdefault-integer-8 -Wno-deprecated-declarations
! symbols: omp_init_allocator_8_
program default_integer_8
  use omp_lib
  use iso_c_binding
  implicit none
  type(omp_alloctrait) :: traits(2)
  integer(omp_allocator_handle_kind) :: aligned
  type(c_ptr) :: block

  traits(1) = omp_alloctrait(omp_atk_alignment, 2048)
  traits(2) = omp_alloctrait(omp_atk_alignment, 24)
  call check(logical(omp_init_allocator(omp_default_mem_space, 2, traits) == omp_null_allocator), __LINE__)
  aligned = omp_init_allocator(omp_default_mem_space, 1, traits)
  call check(logical(aligned /= omp_null_allocator), __LINE__)
  block = omp_alloc(10_c_size_t, aligned)
  call check(logical(mod(transfer(block, 1_c_intptr_t), 2048_c_intptr_t) == 0), __LINE__)
  call omp_free(block, aligned)
  call omp_destroy_allocator(aligned)

contains
  include '../check_fortran.h'
end program default_integer_8
