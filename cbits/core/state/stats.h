/* Statistics of the process, counted by each thread for itself. Protocol in stats.c. */
#pragma once

#include "base/atomic.h"

struct ghcomp_thread;

enum ghcomp_counter {
    GHCOMP_COUNT_REGIONS,    /* parallel regions that wanted more than one thread */
    GHCOMP_COUNT_WANTED,     /* ... the threads that OpenMP's rules gave them, dyn-var aside */
    GHCOMP_COUNT_GIVEN,      /* ... and the threads that they got */
    GHCOMP_COUNT_PARKS,      /* sleeps of idle threads */
    GHCOMP_COUNT_YIELDS,     /* times that a thread yielded its CPU to Haskell, also by an early sleep */
    GHCOMP_COUNT_REGIONS_QUEUED,      /* regions that waited in the queue (admission.c) ... */
    GHCOMP_COUNT_ADMISSION_TIMEOUTS,  /* ... and those whose wait timed out */
    GHCOMP_COUNT_LENT,       /* workers taken from another master's idle team (lend.c) */
    GHCOMP_COUNT_STEALS,     /* tasks taken from another thread */
    GHCOMP_COUNT_FENCES,     /* fences of all threads, before a sleep (eventcount.c) */
    GHCOMP_COUNTERS
};

/* One for each thread. atomic(relaxed): written by its own thread only, read by any. */
struct ghcomp_counts {
    _Atomic uint64_t of[GHCOMP_COUNTERS];
};

/* Own thread only. */
static inline void ghcomp_count_in(struct ghcomp_counts *counts, enum ghcomp_counter counter, uint64_t more)
{
    ghcomp_store_relaxed(&counts->of[counter], ghcomp_load_relaxed(&counts->of[counter]) + more);
}

/* A thread begins, and ends; its counts stay in the sum. */
void ghcomp_stats_add_thread(struct ghcomp_thread *thread);
void ghcomp_stats_remove_thread(struct ghcomp_thread *thread);
/* The sums over all threads of the process, ended ones included. Any thread; concurrent counts may be missing. */
void ghcomp_stats_sum(uint64_t sums[GHCOMP_COUNTERS]);

/* Around fork(), and in the child, which starts with the parent's sums. */
void ghcomp_stats_fork_prepare(void);
void ghcomp_stats_fork_parent(void);
void ghcomp_stats_fork_child(struct ghcomp_thread *self);
