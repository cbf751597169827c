/* OpenMP 6.0's routines that ask for free agents, which no libgomp has yet. Tests: test/clang/free_agents.c.
 *
 * Only a free agent is an unassigned thread that can call these (core/team/agents.c). */
#include <limits.h>

#include "abi/abi.h"
#include "core/state/types.h"

int omp_is_free_agent(void)
{
    return omp_get_thread_num() == (int)GHCOMP_AGENT_TID;
}

int omp_ancestor_is_free_agent(int level)
{
    return omp_get_ancestor_thread_num(level) == (int)GHCOMP_AGENT_TID;
}

int32_t omp_is_free_agent_(void)
{
    return omp_is_free_agent();
}

int32_t omp_ancestor_is_free_agent_(const int32_t *level)
{
    return omp_ancestor_is_free_agent(*level);
}

int32_t omp_ancestor_is_free_agent_8_(const int64_t *level)
{
    return *level >= 0 && *level <= INT_MAX && omp_ancestor_is_free_agent((int)*level);
}

GHCOMP_ABI_OBJECT(kmp_free_agent);
