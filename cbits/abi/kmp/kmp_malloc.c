/* kmp_malloc and its kin: Intel's memory routines. They call the C library's functions, whose allocator has caches for
 * threads, too. Tests: test/clang/alloc.c. */
#include <stdlib.h>

#include "abi/abi.h"

void *kmp_malloc(size_t size)
{
    return malloc(size);
}

void *kmp_calloc(size_t count, size_t size)
{
    return calloc(count, size);
}

void *kmp_realloc(void *block, size_t size)
{
    return realloc(block, size);
}

/* Returns NULL also if the alignment is no power of two. */
void *kmp_aligned_malloc(size_t size, size_t alignment)
{
    void *block;
    size_t least = alignment < sizeof(void *) ? sizeof(void *) : alignment;
    return posix_memalign(&block, least, size) == 0 ? block : NULL;
}

void kmp_free(void *block)
{
    free(block);
}

GHCOMP_ABI_OBJECT(kmp_malloc);
