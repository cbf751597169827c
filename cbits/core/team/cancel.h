/* Cancellation. Protocol: cancel.c. */
#pragma once

#include "core/state/types.h"

/* The kinds of construct that a cancel construct names: the ABI's values. */
enum ghcomp_cancel_kind {
    GHCOMP_CANCEL_PARALLEL = 1,
    GHCOMP_CANCEL_LOOP = 2,
    GHCOMP_CANCEL_SECTIONS = 4,
    GHCOMP_CANCEL_TASKGROUP = 8
};

/* A cancellation point. True: the member must leave the construct. */
bool ghcomp_cancellation_point(struct ghcomp_member *self, int kind);
/* Cancels the innermost construct of that kind. True: the member must leave it; false: cancel-var is off. */
bool ghcomp_cancel(struct ghcomp_member *self, int kind);
/* Reports a cancel construct (`activated`) or a cancellation point to a tool. */
void ghcomp_cancel_report(struct ghcomp_member *self, int kind, bool activated);
/* Cancels the team's region, whatever cancel-var says (Haskell bodies: an exception ends the region), for members that
   do not say when they leave: waits for turns and posts end at once. */
void ghcomp_cancel_region(struct ghcomp_team *team);

/* A member of a cancelled region leaves it: it comes to no further construct. `self` runs its implicit task. */
void ghcomp_cancel_leave(struct ghcomp_member *self);
/* The result of a cancellable barrier for the compiled code, which leaves the region if it is true. */
static inline bool ghcomp_cancel_leaves(struct ghcomp_member *self, bool cancelled)
{
    if (ghcomp_unlikely(cancelled))
        ghcomp_cancel_leave(self);
    return cancelled;
}

/* Called by the master after the join of a cancelled region. */
void ghcomp_cancel_reset(struct ghcomp_team *team);
