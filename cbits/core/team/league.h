/* Teams regions (leagues) on the host. Protocol: league.c. */
#pragma once

#include "core/state/types.h"

/* omp_get_team_num() and omp_get_num_teams(). */
struct ghcomp_league_place {
    uint32_t num, size;
};

/* The member's place in the innermost league around it. A league's teams are initial teams, and the parallel regions
   inside one belong to it; for gcc's code, which has leagues inside of parallel regions, too, also the regions that a
   member encounters in a team of such a league. */
static inline struct ghcomp_league_place ghcomp_league_place(const struct ghcomp_member *self)
{
    for (; self->league_size == 0; self = self->team->parent)
        if (self->team->parent == NULL)
            return (struct ghcomp_league_place){self->team->league_num, self->team->league_size};
    return (struct ghcomp_league_place){self->league_num, self->league_size};
}

/* The clauses of a league on the host. */
struct ghcomp_league_clauses {
    uint32_t num_teams, thread_limit; /* 0: without the clause; the ICVs' value, or three teams */
    enum ghcomp_bind bind;            /* how the places are divided among the teams; GHCOMP_BIND_FALSE: each team has
                                         all of them */
    bool divides;                     /* teams that run at once share the threads that a region would have had */
};

/* Runs fn(data) once for each team of the league, one after the other on the calling thread. OpenMP wants an initial
   thread outside any parallel region (5.2, 10.2). As on libgomp, a member of one is served, too: its teams have numbers
   of its own, and remain inside its region. */
void ghcomp_league_run(void (*fn)(void *), void *data, const struct ghcomp_league_clauses *clauses);
/* The same, but the teams run concurrently where the CPUs and the ICVs allow it. Also inside parallel regions. */
void ghcomp_league_run_at_once(void (*fn)(void *), void *data, const struct ghcomp_league_clauses *clauses);

/* The same inside a target region, where the program's own loop runs the teams one after the other: `first` starts a
   league of num_teams, a call without it moves on to the next team; false when none is left. The values are the
   clauses', as above, except that without num_teams there is one team. */
bool ghcomp_league_next(uint32_t num_teams, uint32_t thread_limit, bool first);
/* At a target region's end: reports the end of its league, if that is still due. Code by gcc before 12 never asks for a
   next team. */
struct ghcomp_initial_region;
void ghcomp_league_left(struct ghcomp_initial_region *region);
