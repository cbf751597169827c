/* Allocators by the entries of compiled code: blocks, alignment, an allocator with a limit.
 *
 * symbols: __kmpc_alloc __kmpc_aligned_alloc __kmpc_calloc __kmpc_realloc __kmpc_free __kmpc_init_allocator
 * symbols: __kmpc_destroy_allocator __kmpc_get_default_allocator __kmpc_set_default_allocator kmp_malloc kmp_calloc
 * symbols: kmp_realloc kmp_free kmp_aligned_malloc
 */
#include <omp.h>

#include "kmp.h"

void *__kmpc_alloc(int32_t, size_t, omp_allocator_handle_t);
void *__kmpc_aligned_alloc(int32_t, size_t, size_t, omp_allocator_handle_t);
void *__kmpc_calloc(int32_t, size_t, size_t, omp_allocator_handle_t);
void *__kmpc_realloc(int32_t, void *, size_t, omp_allocator_handle_t, omp_allocator_handle_t);
void __kmpc_free(int32_t, void *, omp_allocator_handle_t);
omp_allocator_handle_t __kmpc_init_allocator(int32_t, omp_memspace_handle_t, int, omp_alloctrait_t *);
void __kmpc_destroy_allocator(int32_t, omp_allocator_handle_t);
omp_allocator_handle_t __kmpc_get_default_allocator(int32_t);
void __kmpc_set_default_allocator(int32_t, omp_allocator_handle_t);

int main(void)
{
    char *block = __kmpc_alloc(0, 100, omp_default_mem_alloc);
    CHECK(block != NULL);
    memset(block, 1, 100);
    block = __kmpc_realloc(0, block, 5000, omp_default_mem_alloc, omp_default_mem_alloc);
    CHECK(block != NULL && block[99] == 1);
    __kmpc_free(0, block, omp_default_mem_alloc);
    block = __kmpc_aligned_alloc(0, 256, 512, omp_default_mem_alloc);
    CHECK(block != NULL && (uintptr_t)block % 256 == 0);
    __kmpc_free(0, block, omp_null_allocator);
    long *zeros = __kmpc_calloc(0, 50, sizeof *zeros, omp_null_allocator);
    for (int i = 0; i < 50; i++)
        CHECK(zeros[i] == 0);
    __kmpc_free(0, zeros, omp_null_allocator);

    omp_alloctrait_t traits[] = {{omp_atk_pool_size, 4096}, {omp_atk_fallback, omp_atv_null_fb}};
    omp_allocator_handle_t small = __kmpc_init_allocator(0, omp_default_mem_space, 2, traits);
    block = __kmpc_alloc(0, 1000, small);
    CHECK(block != NULL && __kmpc_calloc(0, 1, 8192, small) == NULL);
    __kmpc_free(0, block, small);
    __kmpc_destroy_allocator(0, small);
    omp_allocator_handle_t before = __kmpc_get_default_allocator(0);
    __kmpc_set_default_allocator(0, omp_high_bw_mem_alloc);
    CHECK(omp_get_default_allocator() == omp_high_bw_mem_alloc);
    __kmpc_set_default_allocator(0, before);

    block = kmp_malloc(10);
    block[9] = 5;
    block = kmp_realloc(block, 100000);
    CHECK(block[9] == 5);
    kmp_free(block);
    block = kmp_calloc(7, 11);
    CHECK(block[76] == 0);
    kmp_free(block);
    block = kmp_aligned_malloc(300, 128);
    CHECK((uintptr_t)block % 128 == 0);
    kmp_free(block);
    kmp_free(NULL);
    int sum = 0;
    int priv = 3;
#pragma omp parallel num_threads(2) private(priv) allocate(omp_default_mem_alloc : priv) reduction(+ : sum)
    {
        priv = 4;
        sum += priv;
    }
    CHECK(sum == 8 && priv == 3);
    return 0;
}
