/* The fallback abort_fb, at the end of a chain.
   expect-exit: 1
   expect-stderr: ^libgomp: Out of memory allocating 2048 bytes$ */
#include <omp.h>

#include "../common.h"

int main(void)
{
    const omp_alloctrait_t aborts[] = {{omp_atk_pool_size, 2000}, {omp_atk_fallback, omp_atv_abort_fb}};
    omp_allocator_handle_t last = omp_init_allocator(omp_default_mem_space, 2, aborts);
    const omp_alloctrait_t leads[] = {{omp_atk_pool_size, 1000},
                                      {omp_atk_fallback, omp_atv_allocator_fb},
                                      {omp_atk_fb_data, (omp_uintptr_t)last}};
    omp_allocator_handle_t first = omp_init_allocator(omp_default_mem_space, 3, leads);
    CHECK(omp_alloc(500, first) != NULL && omp_alloc(1900, first) != NULL);
    omp_calloc(2, 1024, first);
    return 0;
}
