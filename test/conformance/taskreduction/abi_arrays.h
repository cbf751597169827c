/* The array that compilers register task reductions with, for two items: a long at offset 0 of a thread's bytes, and at
   offset 64 another. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../common.h"

enum { ITEMS, BYTES, MEMORY, ALLOCATOR, NEXT, HOLD, END, FIRST_ITEM };
enum { TWO_ITEMS = FIRST_ITEM + 2 * 3, OFFSET = 64, EACH = 128 };

void GOMP_taskgroup_start(void);
void GOMP_taskgroup_end(void);
void GOMP_taskgroup_reduction_register(uintptr_t *);
void GOMP_taskgroup_reduction_unregister(uintptr_t *);
void GOMP_task_reduction_remap(size_t, size_t, void **);
void GOMP_workshare_task_reduction_unregister(bool);
unsigned GOMP_parallel_reductions(void (*)(void *), void *, unsigned, unsigned);

static inline void fill(uintptr_t *array, uintptr_t align, void *one, void *other)
{
    uintptr_t values[TWO_ITEMS] = {2, EACH, align, (uintptr_t)-1, 0, 77, 77, (uintptr_t)one, 0, 77, (uintptr_t)other,
                                   OFFSET, 77};
    memcpy(array, values, sizeof values);
}

/* A thread's copy of an item. */
static inline long *copy_of(const uintptr_t *array, int thread, int item)
{
    return (long *)(array[MEMORY] + (uintptr_t)thread * EACH + (uintptr_t)item * OFFSET);
}

static inline long *find(void *address)
{
    GOMP_task_reduction_remap(1, 0, &address);
    return address;
}

static inline bool zeroed(const uintptr_t *array, int threads)
{
    for (int i = 0; i < threads * EACH; i++)
        if (((const char *)array[MEMORY])[i] != 0)
            return false;
    return true;
}

static inline long sum(const uintptr_t *array, int threads, int item)
{
    long result = 0;
    for (int thread = 0; thread < threads; thread++)
        result += *copy_of(array, thread, item);
    return result;
}
