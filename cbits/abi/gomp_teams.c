/* GOMP_teams_reg: `teams` outside any target region. Tests: test/conformance/teams. */
#include "abi/abi.h"
#include "core/league.h"

void GOMP_teams_reg(void (*fn)(void *), void *data, unsigned num_teams, unsigned thread_limit, unsigned flags)
{
    (void)flags; /* GCC passes 0: nothing is defined yet */
    ghcomp_league_run(fn, data, num_teams, thread_limit);
}

GHCOMP_ABI_OBJECT(gomp_teams);
