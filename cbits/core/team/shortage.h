/* A shortage of threads: not all threads of a region can be created. Protocol: shortage.c. */
#pragma once

#include "core/affinity/affinity.h"
#include "core/state/types.h"

enum ghcomp_shortage {
    GHCOMP_SHORTAGE_ENDS,          /* ends the process, as on libgomp */
    GHCOMP_SHORTAGE_SHRINKS,       /* has a smaller team, of all threads that can be made: dyn-var, leagues */
    GHCOMP_SHORTAGE_SPARES,        /* has a smaller team, and leaves half of the threads that can be made to others */
    GHCOMP_SHORTAGE_FAILS          /* does not begin */
};
/* What a region does in a shortage, by its dyn-var and flags (affinity.h). */
static inline enum ghcomp_shortage ghcomp_shortage_of(bool dynamic, uint32_t flags)
{
    bool haskell = (flags & (GHCOMP_TEAM_MAY_BE_SMALLER | GHCOMP_TEAM_MAY_FAIL)) != 0;
    if (dynamic || (flags & GHCOMP_TEAM_OF_LEAGUE))
        return haskell ? GHCOMP_SHORTAGE_SPARES : GHCOMP_SHORTAGE_SHRINKS;
    if (flags & GHCOMP_TEAM_MAY_BE_SMALLER)
        return GHCOMP_SHORTAGE_SPARES;
    return haskell ? GHCOMP_SHORTAGE_FAILS : GHCOMP_SHORTAGE_ENDS;
}

/* ghcomp_pool_take for such a region. Returns fewer workers than wanted, with an errno value, when no more can be made.
   For a region that fails, the workers have already gone back. */
uint32_t ghcomp_shortage_take(struct ghcomp_thread **workers, uint32_t wanted, enum ghcomp_shortage shortage,
                              int *error);
/* Undoes the preparation of a region that does not begin: lets its workers be lent again, and removes it from the
   account and its `taken` threads from the contention group. Returns NULL. */
struct ghcomp_team *ghcomp_shortage_undo(struct ghcomp_member *self, struct ghcomp_team *team,
                                         struct ghcomp_account *account, uint32_t taken) __attribute__((cold));
/* Handles a region that gets only `threads` of `wanted` threads: ends the process, warns, or returns false. False: the
   region does not begin, and the shortage is recorded in the master, the calling thread. */
bool ghcomp_shortage_goes_on(enum ghcomp_shortage shortage, uint32_t wanted, uint32_t threads, int error);
