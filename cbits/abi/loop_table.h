/* The families of GOMP_loop_* entries, one row each, for gomp_loop.c (long) and gomp_loop_ull.c (unsigned long long).
 *
 * A row is ROW(NAME, SCHEDULE, ORDERED): NAME stands in the symbols, SCHEDULE is without its GHCOMP_ prefix. The
 * entries of runtime schedules have no chunk parameter. nonmonotonic schedules are served by the monotonic ones
 * (core/loop.c).
 */
#pragma once

#include "core/doacross.h"
#include "core/task_reduction.h"

#define LOOPS_WITH_CHUNK(ROW)                     \
    ROW(static, SCHED_STATIC, false)              \
    ROW(dynamic, SCHED_DYNAMIC, false)            \
    ROW(guided, SCHED_GUIDED, false)              \
    ROW(nonmonotonic_dynamic, SCHED_DYNAMIC, false) \
    ROW(nonmonotonic_guided, SCHED_GUIDED, false) \
    ROW(ordered_static, SCHED_STATIC, true)       \
    ROW(ordered_dynamic, SCHED_DYNAMIC, true)     \
    ROW(ordered_guided, SCHED_GUIDED, true)

#define LOOPS_OF_RUNTIME(ROW)                            \
    ROW(runtime, LOOP_RUNTIME, false)                    \
    ROW(nonmonotonic_runtime, LOOP_RUNTIME, false)       \
    ROW(maybe_nonmonotonic_runtime, LOOP_RUNTIME, false) \
    ROW(ordered_runtime, LOOP_RUNTIME, true)

#define DOACROSS_WITH_CHUNK(ROW)             \
    ROW(doacross_static, SCHED_STATIC, false) \
    ROW(doacross_dynamic, SCHED_DYNAMIC, false) \
    ROW(doacross_guided, SCHED_GUIDED, false)

/* A `sched` argument: the schedule in the low bits (0 and 4: run-sched-var, without and with the nonmonotonic modifier)
   and the monotonic modifier in bit 31. */
static inline struct ghcomp_loop_kind loop_kind_of(long sched, uint64_t chunk, bool ordered)
{
    int schedule = (int)(sched & ~(long)0x80000000);
    if (schedule == GHCOMP_SCHED_AUTO)
        schedule = GHCOMP_LOOP_RUNTIME;
    return (struct ghcomp_loop_kind){schedule, chunk, ordered};
}

/* reduction with the task modifier: what the compiler passes, or NULL. Before the construct is entered. */
static inline void begin_reductions(uintptr_t *reductions)
{
    if (reductions != NULL)
        ghcomp_reduction_enter(ghcomp_self(), reductions);
}
