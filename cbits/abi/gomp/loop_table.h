/* The families of GOMP_loop_* entries, one row each, for gomp_loop.c (long) and gomp_loop_ull.c (unsigned long long).
 *
 * A row is ROW(NAME, SCHEDULE, ORDER): NAME is part of the symbols, SCHEDULE has no GHCOMP_ prefix, ORDER no
 * GHCOMP_LOOP_ prefix. The entries of runtime schedules have no chunk parameter. Tests: test/conformance/for.
 */
#pragma once

#include "core/task/task_reduction.h"
#include "core/worksharing/doacross.h"

#define LOOPS_WITH_CHUNK(ROW)                             \
    ROW(static, SCHED_STATIC, RISING)                     \
    ROW(dynamic, SCHED_DYNAMIC, RISING)                   \
    ROW(guided, SCHED_GUIDED, RISING)                     \
    ROW(nonmonotonic_dynamic, SCHED_DYNAMIC, RISING)      \
    ROW(nonmonotonic_guided, SCHED_GUIDED, RISING)        \
    ROW(ordered_static, SCHED_STATIC, ORDERED)            \
    ROW(ordered_dynamic, SCHED_DYNAMIC, ORDERED)          \
    ROW(ordered_guided, SCHED_GUIDED, ORDERED)

/* GCC calls `runtime` with the monotonic modifier, `maybe_nonmonotonic_runtime` without any. */
#define LOOPS_OF_RUNTIME(ROW)                             \
    ROW(runtime, LOOP_RUNTIME, RISING)                    \
    ROW(nonmonotonic_runtime, LOOP_RUNTIME, RISING)       \
    ROW(maybe_nonmonotonic_runtime, LOOP_RUNTIME, RISING) \
    ROW(ordered_runtime, LOOP_RUNTIME, ORDERED)

#define DOACROSS_WITH_CHUNK(ROW)                 \
    ROW(doacross_static, SCHED_STATIC, SINGLY)   \
    ROW(doacross_dynamic, SCHED_DYNAMIC, SINGLY) \
    ROW(doacross_guided, SCHED_GUIDED, SINGLY)

/* Decodes a `sched` argument: the schedule in the low bits (0 and 4: run-sched-var, without and with the nonmonotonic
   modifier) and the monotonic modifier in bit 31, which has no effect: iterations always rise. */
static inline struct ghcomp_loop_kind loop_kind_of(long sched, uint64_t chunk, bool ordered)
{
    const long monotonic = 0x80000000;
    int schedule = (int)(sched & ~monotonic);
    int order = ordered ? GHCOMP_LOOP_ORDERED : GHCOMP_LOOP_RISING;
    if (schedule == GHCOMP_SCHED_AUTO)
        schedule = GHCOMP_LOOP_RUNTIME;
    return (struct ghcomp_loop_kind){schedule, chunk, order};
}

/* For the reduction clause with the task modifier: `reductions` is the compiler's argument, or NULL. Called before the
   construct is entered. */
static inline void begin_reductions(uintptr_t *reductions)
{
    if (reductions != NULL)
        ghcomp_reduction_enter(ghcomp_self(), reductions);
}
