/* What the barriers of teams of a few threads (barrier_flags.c), of large ones (barrier_tree.c) and of those in between
   (barrier.c) have in common. */
#pragma once

#include "core/sync/barrier.h"
#include "core/task/task.h"

/* How a member comes out of a wait. */
enum ghcomp_barrier_outcome { GHCOMP_BARRIER_PASSED, GHCOMP_BARRIER_CANCELLED, GHCOMP_BARRIER_PAUSED };

static inline void ghcomp_barrier_end_cancelled_share(struct ghcomp_team *team)
{
    if (ghcomp_load_relaxed(&team->cancelled) & GHCOMP_CANCELLED_SHARE)
        ghcomp_and_relaxed(&team->cancelled, ~(uint32_t)GHCOMP_CANCELLED_SHARE);
}

static inline bool ghcomp_barrier_region_cancelled(struct ghcomp_team *team)
{
    return ghcomp_load_acquire(&team->cancelled) & GHCOMP_CANCELLED_PARALLEL;
}

/* The outcome for a member that has seen the end of its episode. */
static inline enum ghcomp_barrier_outcome ghcomp_barrier_left(struct ghcomp_team *team, bool cancellable)
{
    return cancellable && ghcomp_barrier_region_cancelled(team) ? GHCOMP_BARRIER_CANCELLED : GHCOMP_BARRIER_PASSED;
}

/* Sleepers of an episode are woken two by two, each by one that was woken before, and a thread that runs late passes on
   what nobody waits for any more. Two classes, in turn, keep that from those who sleep through the next episode. */
static inline uint32_t ghcomp_barrier_class(uint32_t episode)
{
    return 1u << (episode & 1u);
}

/* Runs a ready task of the team, or takes it in hand when it is one of those that the pause is for. False: there is
   none. */
static inline bool ghcomp_barrier_run_task(struct ghcomp_member *self, struct ghcomp_wait_pause *pause)
{
    struct ghcomp_task *task = ghcomp_task_take_any(self);
    if (task == NULL)
        return false;
    if (pause != NULL && task->fn == pause->fn)
        pause->task = task;
    else
        ghcomp_task_run(self, task);
    return true;
}
