/* Threadprivate variables of code that does not use thread-local storage. Protocol in threadprivate.c. */
#pragma once

#include "core/state/types.h"

/* The constructors and the destructor of a thread's copy of a C++ variable; each may be NULL. */
struct ghcomp_threadprivate_functions {
    void *(*construct)(void *copy);
    void *(*copy)(void *copy, void *original);
    void (*destroy)(void *copy);
};

/* Before the variable's first use. */
void ghcomp_threadprivate_register(void *original, struct ghcomp_threadprivate_functions functions);

/* An array in a variable's cache: how many places it has. */
static inline uint64_t ghcomp_threadprivate_places(void **places)
{
    return ((const uint64_t *)(const void *)places)[-1];
}

/* Makes, or finds, the thread's copy when the cache has none. */
void *ghcomp_threadprivate_make(struct ghcomp_thread *thread, void *original, size_t bytes, _Atomic(void **) *cache);

/* Run the program's destructors for the copies of the calling thread, which ends. The first is for an initial thread,
   the second for a worker, which is its `idle` member then. */
void ghcomp_threadprivate_destroy(struct ghcomp_thread *thread);
void ghcomp_threadprivate_destroy_of_worker(struct ghcomp_thread *worker);
/* Frees the memory of all copies that are left. */
void ghcomp_threadprivate_forget(struct ghcomp_thread *thread);
