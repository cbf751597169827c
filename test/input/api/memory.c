/* Memory routines with sizes, alignments, spaces, traits and handles that cannot be: an error return, never a crash.
 * limit: 60
 * cflags: -Wno-alloc-size-larger-than */
#include <limits.h>
#include <omp.h>
#include <stdint.h>

#include "../../conformance/common.h"

extern intptr_t omp_init_allocator_(const intptr_t *, const int32_t *, const omp_alloctrait_t *);
extern intptr_t omp_init_allocator_8_(const intptr_t *, const int64_t *, const omp_alloctrait_t *);

static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 31, SIZE_MAX - 32, SIZE_MAX - 64, SIZE_MAX / 2 + 1,
                               (size_t)PTRDIFF_MAX, (size_t)1 << 62};
enum { SIZES = sizeof sizes / sizeof *sizes };

static omp_allocator_handle_t made(omp_alloctrait_key_t key, uintptr_t value)
{
    omp_alloctrait_t traits[] = {{omp_atk_fallback, omp_atv_null_fb}, {key, value}};
    return omp_init_allocator(omp_default_mem_space, 2, traits);
}

static void check_works(omp_allocator_handle_t allocator)
{
    char *block = omp_alloc(100, allocator);
    CHECK(block != NULL);
    memset(block, 1, 100);
    omp_free(block, omp_null_allocator);
}

static void allocations(omp_allocator_handle_t allocator)
{
    for (int i = 0; i < SIZES; i++) {
        CHECK(omp_alloc(sizes[i], allocator) == NULL && omp_calloc(1, sizes[i], allocator) == NULL);
        CHECK(omp_calloc(sizes[i], sizes[i], allocator) == NULL && omp_calloc(SIZE_MAX / 8, 16, allocator) == NULL);
        char *block = omp_alloc(16, allocator);
        CHECK(block != NULL);
        memset(block, 7, 16);
        CHECK(omp_realloc(block, sizes[i], allocator, allocator) == NULL && block[15] == 7); /* it is still there */
        omp_free(block, allocator);
        CHECK(omp_realloc(NULL, sizes[i], allocator, allocator) == NULL);
        for (size_t align = 1; align != 0; align *= 2)
            CHECK(omp_aligned_alloc(align, sizes[i], allocator) == NULL);
    }
    CHECK(omp_alloc(0, allocator) == NULL && omp_calloc(0, 5, allocator) == NULL &&
          omp_calloc(5, 0, allocator) == NULL);
    CHECK(omp_aligned_alloc(64, 0, allocator) == NULL && omp_realloc(NULL, 0, allocator, allocator) == NULL);
    CHECK(omp_aligned_alloc((size_t)1 << 62, 1, allocator) == NULL);
    CHECK(omp_aligned_alloc((size_t)1 << 63, 1, allocator) == NULL);
    CHECK(omp_aligned_calloc((size_t)1 << 63, 1, 1, allocator) == NULL);
    omp_free(omp_realloc(omp_alloc(16, allocator), 0, allocator, allocator), allocator);
    omp_free(NULL, allocator);
    check_works(allocator);
}

int main(void)
{
    omp_allocator_handle_t strict = made(omp_atk_alignment, 16);
    CHECK(strict != omp_null_allocator);
    allocations(strict);
    allocations(omp_default_mem_alloc);

    /* Traits that cannot be. */
    static const uintptr_t alignments[] = {0, 3, 24, 100, UINTPTR_MAX - 1, UINTPTR_MAX / 2};
    for (size_t i = 0; i < sizeof alignments / sizeof *alignments; i++)
        CHECK(made(omp_atk_alignment, alignments[i]) == omp_null_allocator);
    static const uintptr_t values[] = {2, 100, 4096, UINTPTR_MAX / 2, UINTPTR_MAX - 1};
    static const omp_alloctrait_key_t keys[] = {omp_atk_sync_hint, omp_atk_access, omp_atk_fallback, omp_atk_pinned,
                                                omp_atk_partition};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            CHECK(made(keys[k], values[i]) == omp_null_allocator);
    static const int bad_keys[] = {0, -1, 9, 100, INT_MAX, INT_MIN};
    for (size_t i = 0; i < sizeof bad_keys / sizeof *bad_keys; i++)
        CHECK(made((omp_alloctrait_key_t)bad_keys[i], 1) == omp_null_allocator);

    /* Spaces that do not exist, counts without traits. */
    static const uintptr_t spaces[] = {5, 100, 4096, UINTPTR_MAX};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        CHECK(omp_init_allocator((omp_memspace_handle_t)spaces[i], 0, NULL) == omp_null_allocator);
    static const int counts[] = {0, -1, INT_MIN};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        intptr_t space = omp_default_mem_space;
        int32_t count = counts[i];
        int64_t large = count == INT_MIN ? INT64_MIN : count;
        omp_allocator_handle_t plain[] = {omp_init_allocator(omp_default_mem_space, count, NULL),
                                          (omp_allocator_handle_t)omp_init_allocator_(&space, &count, NULL),
                                          (omp_allocator_handle_t)omp_init_allocator_8_(&space, &large, NULL)};
        for (int k = 0; k < 3; k++) {
            CHECK(plain[k] != omp_null_allocator);
            check_works(plain[k]);
            omp_destroy_allocator(plain[k]);
        }
    }

    /* A pool that is too small for anything, and one of all memory; a fallback to an allocator that falls back to
     * it. */
    omp_allocator_handle_t none = made(omp_atk_pool_size, 1), all = made(omp_atk_pool_size, UINTPTR_MAX - 1);
    CHECK(none != omp_null_allocator && all != omp_null_allocator);
    CHECK(omp_alloc(1, none) == NULL && omp_alloc(SIZE_MAX, none) == NULL && omp_aligned_alloc(4096, 1, none) == NULL);
    check_works(all);
    CHECK(omp_alloc(SIZE_MAX, all) == NULL);
    check_works(all);
    omp_destroy_allocator(none);
    omp_destroy_allocator(all);
    omp_destroy_allocator(omp_null_allocator);

    omp_set_default_allocator(omp_null_allocator);
    check_works(omp_null_allocator);
    omp_destroy_allocator(strict);
    return 0;
}
