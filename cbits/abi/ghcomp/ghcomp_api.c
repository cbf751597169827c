/* ghcomp_*: the project's additions to omp.h (documented in include/ghcomp.h). Tests: test/host/. */
#include "ghcomp.h"

#include <limits.h>

#include "abi/abi.h"
#include "core/state/types.h"
#include "core/team/interrupt.h"
#include "core/team/pool.h"
#include "host/capabilities.h"

static int to_int(uint32_t count)
{
    return count <= INT_MAX ? (int)count : INT_MAX;
}

const char *ghcomp_version(void)
{
    return GHCOMP_VERSION;
}

const char *ghcomp_host_name(void)
{
    return ghcomp_pool_host()->name;
}

const char *ghcomp_host_origin(void)
{
    return ghcomp_pool_host()->origin;
}

const char *ghcomp_ghc_version(void)
{
    return ghcomp_pool_host()->version;
}

int ghcomp_num_capabilities(void)
{
    return to_int(ghcomp_host()->capabilities());
}

const char *ghcomp_capability_visibility(void)
{
    switch (ghcomp_capabilities_visibility()) {
    case GHCOMP_VISIBILITY_NONE:
        return "none";
    case GHCOMP_VISIBILITY_UNAWARE:
        return "unaware";
    case GHCOMP_VISIBILITY_AWARE:
        break;
    }
    return ghcomp_capabilities_found() ? "aware" : "finding";
}

int ghcomp_thread_capability(void)
{
    const struct ghcomp_member *self = ghcomp_self_member;
    return self != NULL ? ghcomp_host_worker_home(self->thread->number) : -1;
}

int ghcomp_workers_created(void)
{
    return to_int(ghcomp_pool_created());
}

_Static_assert((int)GHCOMP_STATS == (int)GHCOMP_COUNTERS && (int)GHCOMP_STAT_FENCES == (int)GHCOMP_COUNT_FENCES &&
                   (int)GHCOMP_STAT_PARKS == (int)GHCOMP_COUNT_PARKS && (int)GHCOMP_STAT_LENT == (int)GHCOMP_COUNT_LENT,
               "the public enumeration is that of core/state/stats.h");

int ghcomp_interrupted(void)
{
    return ghcomp_interrupt_delivered();
}

size_t ghcomp_stats(uint64_t *values, size_t count)
{
    uint64_t sums[GHCOMP_COUNTERS];
    ghcomp_stats_sum(sums);
    for (size_t i = 0; i < count; i++)
        values[i] = i < GHCOMP_COUNTERS ? sums[i] : 0;
    return GHCOMP_COUNTERS;
}

GHCOMP_ABI_OBJECT(ghcomp_api);
