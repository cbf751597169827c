/* Allocators by the names of the compiler's own omp.h; for allocators.c, which is compiled by another one. */
#include <omp.h>
#include <stdint.h>
#include <string.h>

/* LLVM 20 is the first with these, and 23 with the space of contention groups. */
#if defined __clang__ && __clang_major__ >= 20
#define FURTHER_TRAITS {omp_atk_pin_device, 0}, {omp_atk_atomic_scope, omp_atv_device},
#define FURTHER_SPACES omp_null_mem_space,
#else
#define FURTHER_TRAITS
#define FURTHER_SPACES
#endif
#if defined __clang__ && __clang_major__ >= 23
#define SPACE_OF_GROUPS omp_cgroup_mem_space,
#else
#define SPACE_OF_GROUPS
#endif

/* In the program and in its library. */
#ifdef LIBRARY
#define make_allocator library_make_allocator
#define blocks_of library_blocks_of
#define release library_release
#endif

/* A new allocator of a space, of which there are some; 0: there is none, or `number` is past the last. Its blocks are
   aligned to 4,096 bytes, and it has memory for one of 100 bytes, but for none of 16,384. */
uintptr_t make_allocator(int number)
{
    static const omp_memspace_handle_t spaces[] = {FURTHER_SPACES SPACE_OF_GROUPS omp_const_mem_space,
                                                   omp_low_lat_mem_space, omp_default_mem_space};
    omp_alloctrait_t traits[] = {FURTHER_TRAITS{omp_atk_access, omp_atv_all},
                                 {omp_atk_alignment, 4096},
                                 {omp_atk_sync_hint, omp_atv_private},
                                 {omp_atk_pool_size, 16384},
                                 {omp_atk_fallback, omp_atv_null_fb}};
    if (number >= (int)(sizeof spaces / sizeof spaces[0]))
        return 0;
    return (uintptr_t)omp_init_allocator(spaces[number], (int)(sizeof traits / sizeof traits[0]), traits);
}

/* A block of the allocator, which is what it says; or NULL. */
void *blocks_of(uintptr_t allocator)
{
    void *block = omp_alloc(100, (omp_allocator_handle_t)allocator);
    if (block == NULL || (uintptr_t)block % 4096 != 0 || omp_alloc(16384, (omp_allocator_handle_t)allocator) != NULL)
        return NULL;
    return memset(block, 1, 100);
}

void release(void *block, uintptr_t allocator)
{
    omp_free(block, (omp_allocator_handle_t)allocator);
    omp_destroy_allocator((omp_allocator_handle_t)allocator);
}
