/* The process's demand for CPUs: the words that all its waits read. Each has one module that measures and writes it,
   and holds until that module's next measurement. All are hints: they order nothing, except `awake` (cpu_account.c). */
#pragma once

#include "base/atomic.h"

/* The atomic fields are relaxed, `awake` aside. */
struct ghcomp_cpu_load {
    _Atomic uint32_t awake GHCOMP_ALIGNED_PAIR; /* workers that are not asleep (wait.c, worker.c); sub_seqcst */
    _Atomic uint32_t inside;           /* members of regions that have entered Haskell (haskell/enter.c) */
    /* The other demand for CPUs, as of the last wait that measured it: masters in regions (in a process of C, those of
       masters.c), busy Capabilities (wait.c). */
    _Atomic uint32_t beside GHCOMP_ALIGNED_PAIR;
    _Atomic bool contended;            /* at that measurement these and the workers were more than the CPUs, and
                                          Capabilities were busy (wait.c) */
    _Atomic bool shared;               /* threads of the process share a CPU (neighbours.c) */
    uint32_t cpus GHCOMP_ALIGNED_PAIR; /* immutable after ghcomp_wait_init */
};
extern struct ghcomp_cpu_load ghcomp_cpu_load GHCOMP_OWN;

/* The number of the process's threads that want a CPU. */
static inline uint32_t ghcomp_cpu_load_threads(void)
{
    return ghcomp_load_relaxed(&ghcomp_cpu_load.awake) + ghcomp_load_relaxed(&ghcomp_cpu_load.beside);
}

static inline bool ghcomp_cpu_load_oversubscribed(void)
{
    return ghcomp_cpu_load_threads() > ghcomp_cpu_load.cpus;
}

/* In the child of fork(), where the calling thread is the only one. */
void ghcomp_cpu_load_fork_child(void);
