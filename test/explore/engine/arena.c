/* The memory that each schedule starts with: .data and .bss as they were when the program had started, and malloc
 * (-Wl,--wrap) from an arena that each schedule uses from its beginning, after what constructors allocated. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "state.h"

enum { ARENA = 64 << 20 };

extern char __data_start[], _end[];

void arena_begin(void)
{
    X->arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

void arena_keep(void)
{
    size_t size = (size_t)(_end - __data_start);
    X->data_copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(X->data_copy, __data_start, size);
    X->arena_begin = X->arena_used;
    X->arena_copy = mmap(NULL, X->arena_begin + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(X->arena_copy, X->arena, X->arena_begin);
}

void arena_restore(void)
{
    memcpy(__data_start, X->data_copy, (size_t)(_end - __data_start));
    memcpy(X->arena, X->arena_copy, X->arena_begin);
    X->arena_used = X->arena_begin;
}

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
int __wrap_posix_memalign(void **memory, size_t align, size_t size);
void __wrap_free(void *memory);

/* Before each piece of memory. What is freed is filled, so that a use of it shows. */
struct header {
    size_t size, pad;
};

void *__wrap_aligned_alloc(size_t align, size_t size)
{
    align = align < 16 ? 16 : align;
    size_t at = (X->arena_used + sizeof(struct header) + align - 1) / align * align;
    if (at + size > ARENA) {
        fprintf(stderr, "the arena is full\n");
        exit(1);
    }
    X->arena_used = at + size;
    struct header *header = (struct header *)(X->arena + at) - 1;
    header->size = size;
    return header + 1;
}

void *__wrap_malloc(size_t size)
{
    return __wrap_aligned_alloc(16, size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return memset(__wrap_malloc(count * size), 0, count * size);
}

int __wrap_posix_memalign(void **memory, size_t align, size_t size)
{
    *memory = __wrap_aligned_alloc(align, size);
    return 0;
}

void __wrap_free(void *memory)
{
    if ((char *)memory > X->arena && (char *)memory < X->arena + ARENA)
        memset(memory, 0xdd, ((struct header *)memory - 1)->size);
}

void *__wrap_realloc(void *old, size_t size)
{
    void *memory = __wrap_malloc(size);
    if (old != NULL) {
        size_t had = ((struct header *)old - 1)->size;
        memcpy(memory, old, had < size ? had : size);
        __wrap_free(old);
    }
    return memory;
}
