/* For pairs of programs: the correct one, and with -DRACY its racy twin.

   A race is reported when two threads make the accesses and nothing orders them, so a twin must have two threads at
   work. `meet` holds threads until as many have come, by atomic instructions without an order: ThreadSanitizer sees no
   order between threads that meet so. */
#pragma once

#include <omp.h>
#include <sched.h>
#include <stdio.h>

#ifdef RACY
#define IF_RACY(...) __VA_ARGS__
#define IF_CORRECT(...)
#else
#define IF_RACY(...)
#define IF_CORRECT(...) __VA_ARGS__
#endif

static inline void meet(int *here, int all)
{
    __atomic_fetch_add(here, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(here, __ATOMIC_RELAXED) < all)
        sched_yield();
}

/* Waits until the word is not 0; sets it to 1. */
static inline void await(int *word)
{
    while (!__atomic_load_n(word, __ATOMIC_RELAXED))
        sched_yield();
}
static inline void raise_flag(int *word)
{
    __atomic_store_n(word, 1, __ATOMIC_RELAXED);
}

/* The result of main: the value is as expected. A twin's need not be. */
static inline int check(const char *what, long value, long expected)
{
    printf("%s is %ld\n", what, value);
    return IF_RACY(0 *) (value != expected);
}
