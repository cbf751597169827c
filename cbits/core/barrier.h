/* The barrier inside a region. Protocol in barrier.c. Called by every member of the team, each episode once. */
#pragma once

#include "core/types.h"

/* Waits for the whole team. Everything before it in any member happens before everything after it in every member. */
void ghcomp_barrier_wait(struct ghcomp_member *self);
/* The same, left early with true once the region has been cancelled (cancel.c). */
bool ghcomp_barrier_wait_cancellable(struct ghcomp_member *self);
/* Makes waiters of the team look at team.cancelled again, the sleeping ones too. Any member. */
void ghcomp_barrier_recheck(struct ghcomp_team *team);
/* Makes a barrier that members left early ready for the next region. Master, after the join. */
void ghcomp_barrier_reset(struct ghcomp_barrier *barrier);
