! The Fortran forms of the allocator routines, and the memory routines, which are C's.
! cflags: -cpp -Wno-deprecated-declarations
! symbols: omp_init_allocator_ omp_destroy_allocator_ omp_set_default_allocator_ omp_get_default_allocator_
program routines
  use omp_lib
  use iso_c_binding
  implicit none
  type(omp_alloctrait) :: traits(3)
  integer(omp_allocator_handle_kind) :: pool, kept
  type(c_ptr) :: block, other
  integer, pointer :: numbers(:)

  call check(omp_get_default_allocator() == omp_default_mem_alloc, __LINE__)
  traits(1) = omp_alloctrait(omp_atk_alignment, 256)
  traits(2) = omp_alloctrait(omp_atk_pool_size, 4096)
  traits(3) = omp_alloctrait(omp_atk_fallback, omp_atv_null_fb)
  pool = omp_init_allocator(omp_default_mem_space, 3, traits)
  call check(pool /= omp_null_allocator, __LINE__)

  block = omp_alloc(1000_c_size_t, pool)
  call check(c_associated(block) .and. mod(transfer(block, 1_c_intptr_t), 256_c_intptr_t) == 0, __LINE__)
  call c_f_pointer(block, numbers, [250])
  numbers = 3
  block = omp_realloc(block, 2000_c_size_t, pool, pool)
  call check(c_associated(block), __LINE__)
  call c_f_pointer(block, numbers, [250])
  call check(all(numbers == 3), __LINE__)
  other = omp_alloc(2000_c_size_t, pool)
  call check(.not. c_associated(other), __LINE__)
  call omp_free(block, pool)

  call omp_set_default_allocator(pool)
  call check(omp_get_default_allocator() == pool, __LINE__)
  block = omp_calloc(10_c_size_t, 4_c_size_t, omp_null_allocator)
  call check(mod(transfer(block, 1_c_intptr_t), 256_c_intptr_t) == 0, __LINE__)
  call c_f_pointer(block, numbers, [10])
  call check(all(numbers == 0), __LINE__)
  call omp_free(block, omp_null_allocator)
  !$omp parallel num_threads(4) private(kept)
  kept = omp_get_default_allocator()
  call check(kept == pool, __LINE__)
  call omp_set_default_allocator(omp_const_mem_alloc)
  !$omp end parallel
  call omp_set_default_allocator(omp_default_mem_alloc)
  call omp_destroy_allocator(pool)

  traits(1)%value = 24
  call check(omp_init_allocator(omp_default_mem_space, 3, traits) == omp_null_allocator, __LINE__)
  call check(omp_init_allocator(omp_default_mem_space, 0, traits) /= omp_null_allocator, __LINE__)

contains
  include '../check_fortran.h'
end program routines
