/* The common part of the three barriers: of teams that wait by flags (barrier_flags.c), of large teams (barrier_tree.c)
   and of other teams (barrier.c). */
#pragma once

#include "core/sync/barrier.h"
#include "core/sync/eventcount.h"
#include "core/sync/task_team.h"
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
        ghcomp_task_run_in_wait(self, task);
    return true;
}

/* The wait of a member that has arrived, until its episode is over. */
struct ghcomp_barrier_wait {
    struct ghcomp_spin spin;
    struct ghcomp_eventcount_wait sleep;
    bool slept;
};

static inline struct ghcomp_barrier_wait ghcomp_barrier_wait_start(void)
{
    return (struct ghcomp_barrier_wait){.spin = ghcomp_spin_start(GHCOMP_WAIT_BARRIER)};
}

/* The member has run a task, or ended the barrier, and looks again without waiting. True: it leaves the wait with the
   task that is in the pause. */
static inline bool ghcomp_barrier_worked(struct ghcomp_barrier_wait *wait, const struct ghcomp_wait_pause *pause)
{
    if (pause != NULL && pause->task != NULL)
        return true;
    wait->spin = ghcomp_spin_start(GHCOMP_WAIT_BARRIER);
    wait->sleep.announced = false;
    return false;
}

/* The member has found nothing to do: it spins, yields, or sleeps in those classes while the eventcount is as seen. */
static inline void ghcomp_barrier_idle(struct ghcomp_member *self, struct ghcomp_barrier_wait *wait,
                                       uint32_t eventcount, uint32_t classes)
{
    struct ghcomp_team *team = self->team;
    ghcomp_task_none_in_wait(self);
    if (ghcomp_spin_again(&wait->spin))
        return;
    if (ghcomp_eventcount_sleep_class(self, team, eventcount, &wait->sleep, classes)) {
        wait->slept = true;
        ghcomp_task_team_woken(self, team);
    }
}
