/* A shortage of threads: not all threads of a region can be created. Protocol: shortage.c. */
#pragma once

#include "core/affinity/affinity.h"
#include "core/state/types.h"

enum ghcomp_shortage {
    GHCOMP_SHORTAGE_ENDS,          /* ends the process, as on libgomp */
    GHCOMP_SHORTAGE_SHRINKS,       /* has a smaller team, of all threads that can be made: dyn-var, leagues */
    GHCOMP_SHORTAGE_SPARES,        /* has a smaller team, and leaves half of what can be made to others */
    GHCOMP_SHORTAGE_FAILS          /* does not begin */
};
/* By the region's dyn-var and flags (affinity.h). */
static inline enum ghcomp_shortage ghcomp_shortage_of(bool dynamic, uint32_t flags)
{
    bool haskell = (flags & (GHCOMP_TEAM_MAY_BE_SMALLER | GHCOMP_TEAM_MAY_FAIL)) != 0;
    if (dynamic || (flags & GHCOMP_TEAM_OF_LEAGUE))
        return haskell ? GHCOMP_SHORTAGE_SPARES : GHCOMP_SHORTAGE_SHRINKS;
    if (flags & GHCOMP_TEAM_MAY_BE_SMALLER)
        return GHCOMP_SHORTAGE_SPARES;
    return haskell ? GHCOMP_SHORTAGE_FAILS : GHCOMP_SHORTAGE_ENDS;
}

/* ghcomp_pool_take for such a region. Fewer workers than wanted, and an errno value, when no more can be made; those of
   a region that fails are no longer the caller's. */
uint32_t ghcomp_shortage_take(struct ghcomp_thread **workers, uint32_t wanted, enum ghcomp_shortage shortage,
                              int *error);
/* The region of `self` does not begin: its workers may be lent again, and neither the account nor the contention group,
   where `taken` threads are counted for it, count it any more. Returns NULL. */
struct ghcomp_team *ghcomp_shortage_undo(struct ghcomp_member *self, struct ghcomp_team *team,
                                         struct ghcomp_account *account, uint32_t taken) __attribute__((cold));
/* Reports that not all workers could be created. Whether the region begins; if not, the calling thread, its master, has
   recorded the shortage. `threads` is what the team could have, of `wanted`. */
bool ghcomp_shortage_goes_on(enum ghcomp_shortage shortage, uint32_t wanted, uint32_t threads, int error);
