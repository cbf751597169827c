/* GOMP_teams_reg: `teams` outside any target region; `distribute` with a static schedule.
 * Tests: test/conformance/{teams,trunk}. */
#include "abi/abi.h"
#include "core/team/league.h"
#include "core/tool/tool.h"

void GOMP_teams_reg(void (*fn)(void *), void *data, unsigned num_teams, unsigned thread_limit, unsigned flags)
{
    GHCOMP_TOOL_SITE();
    (void)flags; /* GCC passes 0: no flags are defined yet */
    ghcomp_league_run(fn, data, &(struct ghcomp_league_clauses){num_teams, thread_limit, GHCOMP_BIND_FALSE, false});
}

/* distribute with a static schedule: the compiled code computes its team's iterations from this. `niter` is for
   tools. */
static inline _Complex int share_of(const struct ghcomp_member *self)
{
    struct ghcomp_league_place at = ghcomp_league_place(self);
    return ghcomp_abi_share(at.size, at.num);
}

_Complex int GOMP_distribute_static_worksharing(unsigned long long niter)
{
    struct ghcomp_member *self = ghcomp_self();
    if (ghcomp_tool_on()) {
        ghcomp_tool_note(__builtin_return_address(0), __builtin_dwarf_cfa(), 0);
        ghcomp_tool_work_passed(self, ompt_work_distribute, niter);
    }
    return share_of(self);
}

/* The forms with -fopenmp-ompt, as for loops (gomp_loop.c). */
_Complex int GOMP_distribute_static_worksharing_start(unsigned long long niter)
{
    struct ghcomp_member *self = ghcomp_self();
    if (ghcomp_tool_on()) {
        ghcomp_tool_note(__builtin_return_address(0), __builtin_dwarf_cfa(), 0);
        ghcomp_tool_work_begin(self, ompt_work_distribute, niter);
    }
    return share_of(self);
}

void GOMP_distribute_static_worksharing_dispatch(unsigned long long first, unsigned long long niter)
{
    if (ghcomp_tool_on())
        ghcomp_tool_chunk(ghcomp_tool_current(ghcomp_self()), ompt_dispatch_distribute_chunk, first, niter);
}

void GOMP_distribute_static_worksharing_end(void)
{
    if (ghcomp_tool_on())
        ghcomp_tool_work_end(ghcomp_self());
}

GHCOMP_ABI_OBJECT(gomp_teams);
