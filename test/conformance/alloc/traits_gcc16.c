/* Values that later libgomps accept and GCC 12's does not: pinned memory, the high-bandwidth space, the default
   alignment, and GCC's own allocators and space.
   ghcomp-only: libgomp 12 makes no allocator of these traits */
#include <omp.h>
#include <stdint.h>

#include "../common.h"

static void usable(omp_allocator_handle_t allocator)
{
    CHECK(allocator != omp_null_allocator);
    char *block = omp_alloc(100, allocator);
    CHECK(block != NULL);
    memset(block, 1, 100);
    block = omp_realloc(block, 30000, allocator, allocator);
    CHECK(block != NULL && block[99] == 1);
    omp_free(block, omp_null_allocator);
}

int main(void)
{
    const omp_alloctrait_t pinned[] = {{omp_atk_pinned, omp_atv_true}, {omp_atk_partition, omp_atv_nearest}};
    const omp_alloctrait_t aligned[] = {{omp_atk_alignment, omp_atv_default}};
    const int spaces[] = {omp_default_mem_space, omp_large_cap_mem_space, omp_const_mem_space, omp_high_bw_mem_space,
                          omp_low_lat_mem_space, 200 /* ompx_gnu_managed_mem_space */};
    for (unsigned i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        omp_memspace_handle_t space = (omp_memspace_handle_t)spaces[i];
#ifdef __clang__
        if (space == omp_high_bw_mem_space) /* clang/memory_spaces.c */
            continue;
#endif
        omp_allocator_handle_t allocators[] = {omp_init_allocator(space, 0, NULL), omp_init_allocator(space, 2, pinned),
                                               omp_init_allocator(space, 1, aligned)};
        for (int j = 0; j < 3; j++) {
            usable(allocators[j]);
            omp_destroy_allocator(allocators[j]);
        }
    }
    usable((omp_allocator_handle_t)201); /* ompx_gnu_managed_mem_alloc */
    CHECK(omp_init_allocator((omp_memspace_handle_t)199, 0, NULL) == omp_null_allocator);
    CHECK(omp_init_allocator((omp_memspace_handle_t)201, 0, NULL) == omp_null_allocator);
#ifndef __clang__
    /* The numbers of LLVM 20 are none of gcc's: its default space, and that of a contention group; traits and values
       about devices. clang's code has them (test/clang/memory_spaces.c). */
    CHECK(omp_init_allocator((omp_memspace_handle_t)99, 0, NULL) == omp_null_allocator);
    CHECK(omp_init_allocator((omp_memspace_handle_t)5, 0, NULL) == omp_null_allocator);
    const omp_alloctrait_t of_llvm[] = {{omp_atk_access, 19}, {(omp_alloctrait_key_t)9, 0},
                                        {(omp_alloctrait_key_t)14, 1}};
    for (int i = 0; i < 3; i++)
        CHECK(omp_init_allocator(omp_default_mem_space, 1, &of_llvm[i]) == omp_null_allocator);
#endif
    return 0;
}
