/* The numbers of schedules in clang's and flang's code, and run-sched-var as libomp shows it (kind and chunk). Used by
 * kmp_static.c, kmp_dispatch.c and kmp_settings.c. Tests: test/clang/{loops,leagues}.c, test/clang/schedule_*.c. */
#pragma once

#include <stdint.h>

#include "core/state/icv.h"

enum kmp_schedule {
    KMP_SCH_STATIC_CHUNKED = 33,
    KMP_SCH_STATIC = 34,
    KMP_SCH_DYNAMIC = 35,
    KMP_SCH_GUIDED = 36,
    KMP_SCH_RUNTIME = 37,
    KMP_SCH_AUTO = 38,
    KMP_SCH_TRAPEZOIDAL = 39,
    KMP_SCH_STATIC_GREEDY = 40,
    KMP_SCH_STATIC_BALANCED = 41,
    KMP_SCH_GUIDED_ITERATIVE = 42,
    KMP_SCH_GUIDED_ANALYTICAL = 43,
    KMP_SCH_STATIC_STEAL = 44,
    KMP_SCH_STATIC_SIMD = 45,  /* static, in multiples of the chunk, which is the SIMD width; so are the next two */
    KMP_SCH_GUIDED_SIMD = 46,
    KMP_SCH_RUNTIME_SIMD = 47,
    KMP_ORDERED = 64,          /* a loop with ordered regions has the schedule's number plus KMP_ORDERED -
                                  KMP_SCH_FIRST */
    KMP_SCH_FIRST = 32,
    KMP_DIST_STATIC_CHUNKED = 91, /* distribute: among the teams of a league */
    KMP_DIST_STATIC = 92,
    KMP_UNMERGED = 160,        /* a number from here on is the schedule's plus KMP_UNMERGED - KMP_SCH_FIRST, and means
                                  the same in this runtime */
    KMP_MONOTONIC = 1 << 29,
    KMP_NONMONOTONIC = 1 << 30
};

/* A schedule without its modifiers. */
static inline int32_t ghcomp_kmp_schedule(int32_t schedule, int32_t *modifiers)
{
    *modifiers = schedule & (KMP_MONOTONIC | KMP_NONMONOTONIC);
    schedule &= ~(KMP_MONOTONIC | KMP_NONMONOTONIC);
    return schedule >= KMP_UNMERGED ? schedule - (KMP_UNMERGED - KMP_SCH_FIRST) : schedule;
}

/* run-sched-var as libomp shows it: static by default, and with the monotonic modifier only if the user has set
   that. */
static inline int ghcomp_kmp_run_schedule(const struct ghcomp_icvs *icv, int *chunk)
{
    bool chosen = icv->sched_by != GHCOMP_SCHED_BY_DEFAULT;
    *chunk = !chosen ? 0 : (icv->sched & ~(int)GHCOMP_SCHED_MONOTONIC) == GHCOMP_SCHED_AUTO ? 1 : icv->sched_chunk;
    if (icv->sched_by == GHCOMP_SCHED_IN_FULL)
        return icv->sched;
    return chosen ? icv->sched & ~(int)GHCOMP_SCHED_MONOTONIC : GHCOMP_SCHED_STATIC;
}

/* The number of iterations of lower .. upper, both inclusive. They are sign- or zero-extended to 64 bits, as the loop's
   type is; `up` and the distance are right for both. A loop over all values of 64 bits would have 2^64: that is 0. */
static inline uint64_t ghcomp_kmp_count(int64_t lower, int64_t upper, int64_t increment, int is_unsigned)
{
    uint64_t from = (uint64_t)lower, to = (uint64_t)upper;
    int forward = is_unsigned ? from <= to : lower <= upper;
    int backward = is_unsigned ? from >= to : lower >= upper;
    if (increment > 0)
        return forward ? (to - from) / (uint64_t)increment + 1 : 0;
    return increment < 0 && backward ? (from - to) / -(uint64_t)increment + 1 : 0;
}
