/* Statistics: what the runtime has done so far, counted by each thread for itself. Protocol in stats.c. */
#pragma once

#include "base/atomic.h"

struct ghcomp_thread;

enum ghcomp_counter {
    GHCOMP_COUNT_REGIONS,    /* parallel regions of more than one thread that were wanted */
    GHCOMP_COUNT_WANTED,     /* threads that their rules gave them, dyn-var aside */
    GHCOMP_COUNT_GIVEN,      /* threads that they got */
    GHCOMP_COUNT_PARKS,      /* times that a thread slept because it had nothing to do */
    GHCOMP_COUNT_YIELDS,     /* of these and of the regions, those that made room for Haskell */
    GHCOMP_COUNT_REGIONS_QUEUED,      /* regions that waited for their turn (admission.c) ... */
    GHCOMP_COUNT_ADMISSION_TIMEOUTS,  /* ... and those that went on without it */
    GHCOMP_COUNT_LENT,       /* workers taken from another master's idle team */
    GHCOMP_COUNT_STEALS,     /* tasks taken from another thread */
    GHCOMP_COUNTERS
};

/* In each thread. atomic(relaxed): written by its thread alone, read by who sums up. */
struct ghcomp_counts {
    _Atomic uint64_t of[GHCOMP_COUNTERS];
};

/* Own thread only. */
static inline void ghcomp_count_in(struct ghcomp_counts *counts, enum ghcomp_counter counter, uint64_t more)
{
    ghcomp_store_relaxed(&counts->of[counter], ghcomp_load_relaxed(&counts->of[counter]) + more);
}

/* A thread comes and goes; what it has counted stays in the sum. */
void ghcomp_stats_add_thread(struct ghcomp_thread *thread);
void ghcomp_stats_remove_thread(struct ghcomp_thread *thread);
/* The sums over all threads that the process has had. Any thread; what is counted meanwhile may be missing. */
void ghcomp_stats_sum(uint64_t sums[GHCOMP_COUNTERS]);

/* fork(): around it and in the child, which starts with the parent's sums. */
void ghcomp_stats_fork_prepare(void);
void ghcomp_stats_fork_parent(void);
void ghcomp_stats_fork_child(struct ghcomp_thread *self);
