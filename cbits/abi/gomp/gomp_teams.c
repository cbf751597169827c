/* GOMP_teams_reg: `teams` outside any target region; distribute with a static schedule.
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

/* distribute with a static schedule: the compiled code computes its team's iterations from this. `niter` is
   for tools. */
_Complex int GOMP_distribute_static_worksharing(unsigned long long niter)
{
    (void)niter;
    const struct ghcomp_team *team = ghcomp_league_team(ghcomp_self());
    return ghcomp_abi_share(team->league_size, team->league_num);
}

GHCOMP_ABI_OBJECT(gomp_teams);
