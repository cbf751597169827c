/* The allocate clause, and the entries that GCC calls for it.
   env: OMP_NUM_THREADS=6 */
#include <omp.h>
#include <stdint.h>

#include "../common.h"

void *GOMP_alloc(size_t alignment, size_t size, uintptr_t allocator);
void GOMP_free(void *ptr, uintptr_t allocator);

int main(void)
{
    const omp_alloctrait_t traits[] = {{omp_atk_alignment, 4096}, {omp_atk_pool_size, 1 << 20}};
    omp_allocator_handle_t aligned = omp_init_allocator(omp_default_mem_space, 2, traits);
    int array[100], first = 42, last = 0, sum = 0;
    for (int i = 0; i < 100; i++)
        array[i] = i;
#pragma omp parallel private(array) allocate(aligned : array)
    {
        CHECK((uintptr_t)array % 4096 == 0);
        for (int i = 0; i < 100; i++)
            array[i] = omp_get_thread_num();
#pragma omp barrier
        for (int i = 0; i < 100; i++)
            CHECK(array[i] == omp_get_thread_num());
    }
#pragma omp parallel for firstprivate(first) lastprivate(last) reduction(+ : sum) \
    allocate(omp_large_cap_mem_alloc : last) allocate(aligned : first, sum)
    for (int i = 0; i < 1000; i++) {
        CHECK((uintptr_t)&first % 4096 == 0 && first == 42);
        last = i;
        sum += i;
    }
    CHECK(last == 999 && sum == 499500 && array[99] == 99);

    char *block = GOMP_alloc(64, 1000, omp_default_mem_alloc);
    CHECK(block != NULL && (uintptr_t)block % 64 == 0);
    memset(block, 1, 1000);
    GOMP_free(block, omp_default_mem_alloc);
    block = GOMP_alloc(1, 10, omp_null_allocator);
    CHECK(block != NULL);
    omp_free(block, omp_null_allocator);
    block = GOMP_alloc(16, 10, (uintptr_t)aligned);
    CHECK((uintptr_t)block % 4096 == 0);
    GOMP_free(block, 0);
    CHECK(GOMP_alloc(16, 0, (uintptr_t)aligned) == NULL);
    GOMP_free(NULL, (uintptr_t)aligned);
    omp_destroy_allocator(aligned);
    return 0;
}
