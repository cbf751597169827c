/* The barrier inside a region. Protocol in barrier.c. */
#pragma once

#include "core/cpu/wait.h"
#include "core/state/types.h"
#include "core/sync/task_team.h"

/* Waits for the whole team, and for all its tasks. Everything before it in any member, and in any task made before it,
   happens before everything after it in every member. Every member of the team calls it once per episode. */
void ghcomp_barrier_wait(struct ghcomp_member *self);
/* The cancellable wait at the end of a region whose events the caller reports: makes no events of its own. */
void ghcomp_barrier_wait_unreported(struct ghcomp_member *self);
/* As ghcomp_barrier_wait, but returns early, with true, once the region has been cancelled (cancel.c). */
bool ghcomp_barrier_wait_cancellable(struct ghcomp_member *self);
/* ghcomp_barrier_wait and _cancellable for entries that have found ghcomp_self_fast not NULL
   (core/observe/fast_self.h). */
void ghcomp_barrier_wait_fast(struct ghcomp_member *self);
bool ghcomp_barrier_wait_cancellable_fast(struct ghcomp_member *self);
/* The cancellable wait with a pause (task.h), which the caller initialises as {.fn = ...}. False: the pause holds a
   task; the member runs it and calls again with the same pause. */
struct ghcomp_wait_pause;
bool ghcomp_barrier_wait_paused(struct ghcomp_member *self, struct ghcomp_wait_pause *pause);
/* The beginning of such a wait: arrives and polls `polls` times, but never sleeps and runs no task. True: the barrier
   is over (the region may be cancelled). False: the member continues with the same pause. */
bool ghcomp_barrier_arrive(struct ghcomp_member *self, struct ghcomp_wait_pause *pause, uint32_t polls);
/* Makes a barrier that members left early ready for the next region. Master, after the join. */
void ghcomp_barrier_reset(struct ghcomp_team *team);
