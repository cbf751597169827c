/* OMP_ALLOCATOR with the trait `partition`: an allocator of the program's own, which serves.
   env: OMP_ALLOCATOR=omp_default_mem_space:partition=interleaved
   ghcomp-only: libgomp 12 takes predefined allocators only */
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { SIZE = 1 << 20 };

int main(void)
{
    omp_allocator_handle_t chosen = omp_get_default_allocator();
    if (chosen <= omp_thread_mem_alloc) {
        fprintf(stderr, "OMP_ALLOCATOR was not taken: %lu\n", (unsigned long)chosen);
        return 1;
    }
    char *block = omp_alloc(SIZE, omp_null_allocator);
    if (block == NULL)
        return 2;
    memset(block, 1, SIZE);
    int right = block[0] == 1 && block[SIZE - 1] == 1;
    omp_free(block, omp_null_allocator);
    return right ? 0 : 3;
}
