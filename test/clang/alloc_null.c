/* omp_realloc with omp_null_allocator: in clang's code the block goes to the default allocator, whatever it came from.
 *
 * symbols: omp_realloc __kmpc_realloc
 */
#include <omp.h>

#include "kmp.h"

void *__kmpc_realloc(int32_t, void *, size_t, omp_allocator_handle_t, omp_allocator_handle_t);

/* Has room for one block of 600 bytes. */
static omp_allocator_handle_t small(void)
{
    omp_alloctrait_t traits[] = {{omp_atk_pool_size, 1024}, {omp_atk_fallback, omp_atv_null_fb}};
    return omp_init_allocator(omp_default_mem_space, 2, traits);
}

static void out_of_a_pool(void)
{
    omp_allocator_handle_t pool = small();
    char *block = omp_alloc(600, pool), *second;
    CHECK(block != NULL && omp_alloc(600, pool) == NULL);
    memset(block, 7, 600);
    block = omp_realloc(block, 5000, omp_null_allocator, pool);
    CHECK(block != NULL && block[599] == 7);
    second = omp_alloc(600, pool);
    CHECK(second != NULL);
    omp_free(block, omp_default_mem_alloc);
    second = __kmpc_realloc(0, second, 610, omp_null_allocator, pool);
    CHECK(second != NULL);
    block = omp_alloc(600, pool);
    CHECK(block != NULL);
    omp_free(block, pool);
    omp_free(second, omp_default_mem_alloc);
    omp_destroy_allocator(pool);
}

static void into_the_default(void)
{
    omp_allocator_handle_t pool = small();
    char *block = omp_alloc(300, omp_default_mem_alloc);
    omp_set_default_allocator(pool);
    CHECK(omp_realloc(block, 5000, omp_null_allocator, omp_default_mem_alloc) == NULL);
    block = omp_realloc(block, 600, omp_null_allocator, omp_default_mem_alloc);
    CHECK(block != NULL && omp_alloc(600, pool) == NULL);
    CHECK(omp_realloc(block, 0, omp_null_allocator, pool) == NULL);
    CHECK(omp_realloc(NULL, 5000, omp_null_allocator, omp_null_allocator) == NULL);
    block = omp_realloc(NULL, 600, omp_null_allocator, omp_null_allocator);
    CHECK(block != NULL);
    omp_free(block, pool);
    omp_set_default_allocator(omp_default_mem_alloc);
    omp_destroy_allocator(pool);
}

int main(void)
{
    out_of_a_pool();
    into_the_default();
    return 0;
}
