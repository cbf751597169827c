/* Allocators by the entries of clang's and flang's code: omp/omp_alloc.c's functions with a thread number in front.
 * Tests: test/clang/alloc.c.
 *
 * Code with an allocate clause writes to the memory without a check: if the allocator has none, the program ends with
 * one line, as with gcc's code. */
#include "abi/abi.h"

void *__kmpc_alloc(int32_t thread, size_t size, omp_allocator_handle_t allocator)
{
    (void)thread;
    return GOMP_alloc(1, size, (uintptr_t)allocator);
}

void *__kmpc_aligned_alloc(int32_t thread, size_t alignment, size_t size, omp_allocator_handle_t allocator)
{
    (void)thread;
    return GOMP_alloc(alignment, size, (uintptr_t)allocator);
}

void *__kmpc_calloc(int32_t thread, size_t count, size_t size, omp_allocator_handle_t allocator)
{
    (void)thread;
    return omp_calloc(count, size, allocator);
}

void *__kmpc_realloc(int32_t thread, void *block, size_t size, omp_allocator_handle_t allocator,
                     omp_allocator_handle_t free_allocator)
{
    (void)thread;
    return omp_realloc(block, size, allocator, free_allocator);
}

void __kmpc_free(int32_t thread, void *block, omp_allocator_handle_t allocator)
{
    (void)thread;
    omp_free(block, allocator);
}

omp_allocator_handle_t __kmpc_init_allocator(int32_t thread, omp_memspace_handle_t space, int32_t count,
                                             omp_alloctrait_t *traits)
{
    (void)thread;
    return omp_init_allocator(space, count, traits);
}

void __kmpc_destroy_allocator(int32_t thread, omp_allocator_handle_t allocator)
{
    (void)thread;
    omp_destroy_allocator(allocator);
}

omp_allocator_handle_t __kmpc_get_default_allocator(int32_t thread)
{
    (void)thread;
    return omp_get_default_allocator();
}

void __kmpc_set_default_allocator(int32_t thread, omp_allocator_handle_t allocator)
{
    (void)thread;
    omp_set_default_allocator(allocator);
}

GHCOMP_ABI_OBJECT(kmp_alloc);
