/* Lending: idle workers of one master's team go to another master that needs them. Protocol: lend.c. */
#pragma once

#include "core/state/types.h"

/* States of team.lent. */
enum ghcomp_lent {
    GHCOMP_LENT_KEPT,   /* only its master's: in use, or not to be lent */
    GHCOMP_LENT_IDLE,   /* between two regions: a master that takes it gets its workers */
    GHCOMP_LENT_TAKEN   /* a master is taking its workers */
};

/* Called by the master before its next region: takes the team back. The team may have lost all its workers (size 1). */
void ghcomp_lend_reclaim_slow(struct ghcomp_team *team);
static inline void ghcomp_lend_reclaim(struct ghcomp_team *team)
{
    uint32_t idle = GHCOMP_LENT_IDLE;
    /* A taker may have stored KEPT: the acquire makes visible what that thread did to the team. */
    if (ghcomp_load_acquire(&team->lent) != GHCOMP_LENT_KEPT &&
        !ghcomp_cas_acquire(&team->lent, &idle, (uint32_t)GHCOMP_LENT_KEPT))
        ghcomp_lend_reclaim_slow(team);
}

/* Master, after the join: others may take the workers from now on. */
void ghcomp_lend_offer(struct ghcomp_team *team);
/* The same at the end of a region that `encountering` has opened, if it is an outermost one and workers are lent. */
void ghcomp_lend_after(struct ghcomp_team *team, const struct ghcomp_member *encountering, bool dynamic);
/* The first prepares a team for being given up: reclaims it and takes it off the list. After that the caller gives its
   workers to the pool, and passes the result to the second. Called by the team's master, or by the thread that has
   taken the team that this master is a member of. */
bool ghcomp_lend_retire(struct ghcomp_team *team);
void ghcomp_lend_retired(bool offered);

/* Whether a team is listed, or a thread is taking or giving up one: a hint. The caller has held pool.lock since it
   found the pool empty: so no thread has put workers there and ended its gathering in between. */
bool ghcomp_lend_any(void);
/* Moves workers of idle teams whose masters are of that kind into the pool, until it has `count` more or no such team
   is left. False: no team was idle. */
bool ghcomp_lend_collect(const struct ghcomp_kind *kind, uint32_t count);

/* Around fork(), and in the child. */
void ghcomp_lend_fork_prepare(void);
void ghcomp_lend_fork_parent(void);
void ghcomp_lend_fork_child(void);
