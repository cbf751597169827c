/* Lending: idle workers of one master's team go to another that needs them. Protocol in lend.c. */
#pragma once

#include "core/state/types.h"

/* States of team.lent. */
enum ghcomp_lent {
    GHCOMP_LENT_KEPT,   /* its master's alone: in use, or not to be lent */
    GHCOMP_LENT_IDLE,   /* between two regions: whoever takes it has its workers */
    GHCOMP_LENT_TAKEN   /* somebody takes its workers just now */
};

/* Its master's, before the next region: the team is its own again; it may have lost all its workers (size 1). */
void ghcomp_lend_reclaim_slow(struct ghcomp_team *team);
static inline void ghcomp_lend_reclaim(struct ghcomp_team *team)
{
    uint32_t idle = GHCOMP_LENT_IDLE;
    /* KEPT may be what a taker has left behind: its view of the team comes with it. */
    if (ghcomp_load_acquire(&team->lent) != GHCOMP_LENT_KEPT &&
        !ghcomp_cas_acquire(&team->lent, &idle, (uint32_t)GHCOMP_LENT_KEPT))
        ghcomp_lend_reclaim_slow(team);
}

/* Its master's, after the join: others may take the workers from now on. */
void ghcomp_lend_offer(struct ghcomp_team *team);
/* Its master's, or of who has taken the team that its master is in: gives the team up. Reclaimed, and off the list; its
   workers go to the pool next, and then what was returned goes to the second. */
bool ghcomp_lend_retire(struct ghcomp_team *team);
void ghcomp_lend_retired(bool offered);

/* Whether there is a team on the list, or somebody takes or gives up one just now: a hint. Under pool.lock, since the
   pool was found empty: who gathers meanwhile cannot have given its workers to the pool and be done. */
bool ghcomp_lend_any(void);
/* Takes the workers of idle teams into the pool until there are `count` more of them, or no idle team is left. */
void ghcomp_lend_collect(uint32_t count);

/* fork(): around it and in the child. */
void ghcomp_lend_fork_prepare(void);
void ghcomp_lend_fork_parent(void);
void ghcomp_lend_fork_child(void);
