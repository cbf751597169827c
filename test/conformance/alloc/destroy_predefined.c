/* Destroying an allocator that omp_init_allocator did not make is reported.
   ghcomp-only: libgomp crashes
   expect-exit: 1
   expect-stderr: ^ghc-openmp: omp_destroy_allocator: 4 is a predefined allocator; .* omp_init_allocator made$ */
#include <omp.h>

int main(void)
{
    omp_destroy_allocator(omp_high_bw_mem_alloc);
    return 0;
}
