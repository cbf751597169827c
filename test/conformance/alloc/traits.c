/* Which traits make an allocator and which make none. */
#include <omp.h>
#include <stdint.h>

#include "../common.h"

static int makes(omp_memspace_handle_t space, int key, omp_uintptr_t value)
{
    const omp_alloctrait_t traits[] = {{omp_atk_sync_hint, omp_atv_default}, {(omp_alloctrait_key_t)key, value}};
    omp_allocator_handle_t allocator = omp_init_allocator(space, 2, traits);
    if (allocator == omp_null_allocator)
        return 0;
    void *block = omp_alloc(100, allocator);
    CHECK(block != NULL);
    omp_free(block, allocator);
    omp_destroy_allocator(allocator);
    return 1;
}

static int makes_here(int key, omp_uintptr_t value)
{
    return makes(omp_default_mem_space, key, value);
}

/* Of all small values, exactly these are good. */
static void only(int key, omp_uintptr_t first, omp_uintptr_t last)
{
    for (omp_uintptr_t value = 0; value < 40; value++)
        CHECK(makes_here(key, value) == (value >= first && value <= last));
    CHECK(makes_here(key, omp_atv_default));
    CHECK(!makes_here(key, omp_atv_default - 1) && !makes_here(key, first + ((omp_uintptr_t)1 << 32)));
}

int main(void)
{
    only(omp_atk_sync_hint, omp_atv_contended, omp_atv_private);
    only(omp_atk_access, omp_atv_all, omp_atv_cgroup);
    only(omp_atk_fallback, omp_atv_default_mem_fb, omp_atv_allocator_fb);
    only(omp_atk_partition, omp_atv_environment, omp_atv_interleaved);
    for (omp_uintptr_t value = 2; value < 40; value++)
        CHECK(!makes_here(omp_atk_pinned, value));
    CHECK(makes_here(omp_atk_pinned, omp_atv_false) && makes_here(omp_atk_pinned, omp_atv_default));
    for (omp_uintptr_t value = 0; value < 70; value++)
        CHECK(makes_here(omp_atk_alignment, value) == (value != 0 && (value & (value - 1)) == 0));
    CHECK(makes_here(omp_atk_alignment, 1 << 20));
    CHECK(makes_here(omp_atk_pool_size, 0)); /* the blocks are those of the fallback */
    CHECK(makes_here(omp_atk_pool_size, omp_atv_default));
    CHECK(makes_here(omp_atk_fb_data, 12345));
    CHECK(!makes_here(0, 0) && !makes_here(omp_atk_partition + 1, 0) && !makes_here(-1, 0));

    CHECK(makes(omp_large_cap_mem_space, omp_atk_alignment, 64) && makes(omp_const_mem_space, omp_atk_alignment, 64));
    CHECK(makes(omp_low_lat_mem_space, omp_atk_alignment, 64));
    CHECK(!makes((omp_memspace_handle_t)5, omp_atk_alignment, 64));
    CHECK(!makes((omp_memspace_handle_t)UINTPTR_MAX, omp_atk_alignment, 64));

    /* The last word on a trait counts; a bad one spoils all. */
    const omp_alloctrait_t twice[] = {{omp_atk_alignment, 4096}, {omp_atk_alignment, 16}, {omp_atk_pool_size, 10},
                                      {omp_atk_pool_size, 48 + 8}, {omp_atk_fallback, omp_atv_null_fb}};
    omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 5, twice);
    void *block = omp_alloc(16, allocator);
    CHECK(block != NULL && omp_alloc(1, allocator) == NULL);
    omp_free(block, allocator);
    omp_destroy_allocator(allocator);
    const omp_alloctrait_t spoilt[] = {{omp_atk_alignment, 24}, {omp_atk_alignment, 16}};
    CHECK(omp_init_allocator(omp_default_mem_space, 2, spoilt) == omp_null_allocator);

    /* No traits are the defaults. */
    allocator = omp_init_allocator(omp_default_mem_space, 0, NULL);
    block = omp_alloc(100000, allocator);
    CHECK(allocator != omp_null_allocator && block != NULL);
    omp_free(block, allocator);
    omp_destroy_allocator(allocator);
    return 0;
}
