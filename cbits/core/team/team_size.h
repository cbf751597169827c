/* How many threads a region may have by OpenMP's rules (OpenMP 5.2, section 10.1.1): the clause or the ICVs, the levels
 * of active regions, and the limit of the contention group, of whose threads free agents have a part. team.c takes what
 * is wanted from the group and from the CPU account.
 *
 * group->threads is atomic(relaxed): a number that orders nothing; threads are taken by a cas and given back by the
 * join.
 *
 * Called by team.c. Covered by test/unit/team.c, test/conformance/{parallel,icv}. */
#pragma once

#include "core/state/settings.h"
#include "core/state/types.h"

/* The number of threads that the limit leaves to the contention group's regions: the limit less the free agents, or
   less those that OMP_THREADS_RESERVE reserves, if these are more. */
static inline uint32_t ghcomp_size_limit(struct ghcomp_group *group, uint32_t limit)
{
    uint32_t agents = ghcomp_load_relaxed(&group->agents), reserved = ghcomp_settings.reserved.agents;
    agents = agents < reserved ? reserved : agents;
    return agents < limit ? limit - agents : 1;
}

/* Takes up to `wanted` of the threads that the contention group may still have. */
static uint32_t ghcomp_size_take(struct ghcomp_group *group, uint32_t limit, uint32_t wanted)
{
    uint32_t threads = ghcomp_load_relaxed(&group->threads);
    limit = ghcomp_size_limit(group, limit);
    for (;;) {
        uint32_t left = limit > threads ? limit - threads : 0;
        uint32_t taken = wanted < left ? wanted : left;
        if (taken == 0 || ghcomp_cas_weak_relaxed(&group->threads, &threads, threads + taken))
            return taken;
    }
}

/* The size that the group allows now, at least 1. */
static inline uint32_t ghcomp_size_clip(struct ghcomp_group *group, uint32_t limit, uint32_t size)
{
    uint32_t threads = ghcomp_load_relaxed(&group->threads);
    limit = ghcomp_size_limit(group, limit);
    uint32_t left = limit > threads ? limit - threads : 0;
    return size - 1 < left ? size : left + 1;
}

/* The size by all rules except thread-limit-var. */
static inline uint32_t ghcomp_size_wanted(struct ghcomp_member *self, const struct ghcomp_icvs *icv,
                                          uint32_t num_threads)
{
    if (num_threads == 1 || self->team->active_level >= icv->max_active_levels)
        return 1;
    return num_threads != 0 ? num_threads : icv->nthreads;
}

/* Whether the region adapts to the idle CPUs: with dyn-var on, if it has no num_threads clause or if the user, not the
   program, set dyn-var. */
static inline bool ghcomp_size_may_adapt(const struct ghcomp_icvs *icv, uint32_t num_threads)
{
    return icv->dynamic && (num_threads == 0 || ghcomp_global.dynamic_set);
}
