/* GOMP_parallel*: parallel regions as GCC emits them. Tests: test/conformance/parallel.
 *
 * GOMP_parallel is the whole region. GCC before 4.9 emitted GOMP_parallel_start, the body called inline, and
 * GOMP_parallel_end, which also ends the combined constructs (gomp_loop.c, gomp_sections.c). */
#include "abi/abi.h"
#include "core/affinity/affinity.h"
#include "core/team/team.h"
#include "core/tool/tool_filter.h"

/* The path without ghcomp_self_fast. GOMP_parallel reaches it by a jump, so its return address and frame are the
   entry's. */
static __attribute__((noinline, cold)) void parallel_observed(void (*fn)(void *), void *data, unsigned num_threads,
                                                              unsigned flags)
{
    struct ghcomp_member *self = ghcomp_self_member;
    if (ghcomp_tool_on() && self != NULL && ghcomp_tool_region_filtered(self, __builtin_return_address(0)))
        flags |= GHCOMP_TEAM_FILTERED;
    else
        GHCOMP_TOOL_SITE();
    ghcomp_team_parallel_observed(fn, data, num_threads, flags);
}

void GOMP_parallel(void (*fn)(void *), void *data, unsigned num_threads, unsigned flags)
{
    struct ghcomp_member *self = ghcomp_self_fast;
    if (ghcomp_unlikely(self == NULL))
        parallel_observed(fn, data, num_threads, flags);
    else
        ghcomp_team_parallel_fast(fn, data, num_threads, flags, self);
}

void GOMP_parallel_start(void (*fn)(void *), void *data, unsigned num_threads)
{
    GHCOMP_TOOL_SITE_OF(ompt_parallel_invoker_program);
    ghcomp_team_release(ghcomp_team_prepare(num_threads, 0), fn, data);
}

void GOMP_parallel_end(void)
{
    ghcomp_team_join();
}

GHCOMP_ABI_OBJECT(gomp_parallel);
