/* Teams regions (leagues) on the host. Protocol in league.c. */
#pragma once

#include "core/types.h"

/* The team of the league that the member belongs to: a league's teams are initial teams, and the parallel regions inside
   belong to the one around them. */
static inline const struct ghcomp_team *ghcomp_league_team(const struct ghcomp_member *self)
{
    const struct ghcomp_team *team = self->team;
    while (team->parent != NULL)
        team = team->parent->team;
    return team;
}

/* Runs fn(data) once for each team of the league, on the calling thread. `num_teams` and `thread_limit` are the clauses'
   values, 0 without the clause. The caller is an initial thread outside any parallel region (OpenMP 5.2, 10.2). */
void ghcomp_league_run(void (*fn)(void *), void *data, uint32_t num_teams, uint32_t thread_limit);
