/* The allocate clause with an allocator that may return NULL, to which the code that GCC makes would write.
   expect-exit: 1
   expect-stderr: ^libgomp: Out of memory allocating 4000 bytes$ */
#include <omp.h>

#include "../common.h"

int main(void)
{
    const omp_alloctrait_t traits[] = {{omp_atk_pool_size, 1000}, {omp_atk_fallback, omp_atv_null_fb}};
    omp_allocator_handle_t small = omp_init_allocator(omp_default_mem_space, 2, traits);
    int array[1000];
#pragma omp parallel num_threads(1) private(array) allocate(small : array)
    for (int i = 0; i < 1000; i++)
        array[i] = i;
    return 0;
}
