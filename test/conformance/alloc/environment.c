/* OMP_ALLOCATOR as a memory space with traits.
   env: OMP_ALLOCATOR="omp_default_mem_space : alignment=512, pool_size=2048 ,fallback=null_fb,access=ALL,pinned=false"
   ghcomp-only: libgomp 12 takes predefined allocators only */
#include <omp.h>
#include <stdint.h>

#include "../common.h"

int main(void)
{
    omp_allocator_handle_t allocator = omp_get_default_allocator();
    CHECK((uintptr_t)allocator > 4096);
#pragma omp parallel num_threads(3)
    CHECK(omp_get_default_allocator() == allocator);
    char *block = omp_alloc(2048 - 32 - 512 + 8, omp_null_allocator);
    CHECK(block != NULL && (uintptr_t)block % 512 == 0);
    CHECK(omp_alloc(1, omp_null_allocator) == NULL && omp_alloc(1, allocator) == NULL);
    omp_free(block, omp_null_allocator);
    CHECK((block = omp_calloc(10, 10, allocator)) != NULL);
    omp_free(block, allocator);
    return 0;
}
