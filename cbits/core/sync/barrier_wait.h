/* The common part of the three barriers: of teams that wait by flags (barrier_flags.c), of large teams (barrier_tree.c)
   and of other teams (barrier.c). Covered by test/unit/{barrier_flags,team,team_tree}.c. */
#pragma once

#include "core/sync/barrier.h"
#include "core/task/task.h"

/* The ways in which a member leaves a wait. */
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

/* Whether that member will come to no further construct, because it has left the team's cancelled region (cancel.c). */
static inline bool ghcomp_barrier_has_left(struct ghcomp_team *team, uint32_t tid)
{
    return ghcomp_unlikely(ghcomp_barrier_region_cancelled(team)) && ghcomp_load_acquire(&team->members[tid]->left);
}

/* The outcome for a member that has seen the end of its episode. */
static inline enum ghcomp_barrier_outcome ghcomp_barrier_left(struct ghcomp_team *team, bool cancellable)
{
    return cancellable && ghcomp_barrier_region_cancelled(team) ? GHCOMP_BARRIER_CANCELLED : GHCOMP_BARRIER_PASSED;
}

/* The class in which an episode's sleepers sleep. Woken members wake them two at a time, and a late thread may wake
   when no sleeper is left. Two alternating classes keep such wake-ups from members that sleep in the next episode. */
static inline uint32_t ghcomp_barrier_class(uint32_t episode)
{
    return 1u << (episode & 1u);
}

/* Takes a ready task of the team and runs it, or puts it into the pause when it is of the kind that the pause is for.
   False: there is none. */
static inline bool ghcomp_barrier_run_task(struct ghcomp_member *self, struct ghcomp_wait_pause *pause)
{
    struct ghcomp_task *task = ghcomp_task_take_any(self);
    if (task == NULL)
        return false;
    if (pause != NULL && task->fn == pause->fn)
        pause->task = task;
    else
        ghcomp_task_run_in_wait(self, task, true);
    return true;
}
