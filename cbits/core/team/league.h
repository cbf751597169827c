/* Teams regions (leagues) on the host. Protocol: league.c. */
#pragma once

#include "core/state/types.h"

/* The team of the league that the member belongs to. A league's teams are initial teams, and the parallel regions
   inside one belong to it. */
static inline const struct ghcomp_team *ghcomp_league_team(const struct ghcomp_member *self)
{
    const struct ghcomp_team *team = self->team;
    while (team->parent != NULL)
        team = team->parent->team;
    return team;
}

/* Runs fn(data) once for each team of the league, on the calling thread. `num_teams` and `thread_limit` are the
   clauses' values, 0 without the clause: what the ICVs say, or three teams. `bind` shares the places among the teams;
   GHCOMP_BIND_FALSE: each has all of them. The caller is an initial thread outside any parallel region (OpenMP 5.2,
   10.2). */
void ghcomp_league_run(void (*fn)(void *), void *data, uint32_t num_teams, uint32_t thread_limit,
                       enum ghcomp_bind bind);

/* The same inside a target region, where the program's own loop runs the teams one after the other: `first` starts a
   league of num_teams, a call without it moves on to the next team; false when none is left. The values are the
   clauses', as above, except that without num_teams there is one team. */
bool ghcomp_league_next(uint32_t num_teams, uint32_t thread_limit, bool first);
/* The member's target region ends, and with it a league that a tool still has: gcc before 12 does not ask
   for the next team. */
void ghcomp_league_left(struct ghcomp_member *self);
