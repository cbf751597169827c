/* A block that is freed twice is reported.
   ghcomp-only: libgomp frees whatever is there
   expect-exit: 1
   expect-stderr: ^ghc-openmp: omp_free: 0x[0-9a-f]* is not a block of omp_alloc and its kind, or was freed before; */
#include <omp.h>

#include "../common.h"

int main(void)
{
    const omp_alloctrait_t traits[] = {{omp_atk_alignment, 64}};
    omp_allocator_handle_t aligned = omp_init_allocator(omp_default_mem_space, 1, traits);
    char *volatile block = omp_alloc(1000, aligned); /* volatile: the compiler sees the mistake, too */
    char *again = block;
    omp_free(block, aligned);
    omp_free(again, aligned);
    return 0;
}
