/* The tasks of a team as a whole: whether there are any, whether all are complete, which threads help. Protocol in
   task_team.c. */
#pragma once

#include "core/state/types.h"

#define GHCOMP_DOOR_OPEN (UINT64_C(1) << 31)

/* Whether deferred tasks were made in the team's region; then its barriers and its end wait for them. Members.
   load_seqcst, for a member on its way to sleep (eventcount.c); it costs no more than load_acquire. */
static inline bool ghcomp_task_team_used(struct ghcomp_team *team)
{
    return ghcomp_load_seqcst(&team->tasked);
}
/* Opens the door. Called before the region's first deferred task is pushed. */
void ghcomp_task_team_open(struct ghcomp_member *self);
/* After a push: wakes a thread that sleeps on the eventcount. */
void ghcomp_task_team_wake_slow(struct ghcomp_team *team);
static inline void ghcomp_task_team_wake(struct ghcomp_team *team)
{
    ghcomp_fence_light(); /* between the store of the task and the check: "Waking for a task" in task_team.c */
    if (ghcomp_unlikely(ghcomp_load_seqcst(&team->barrier.eventcount) & 1u))
        ghcomp_task_team_wake_slow(team);
}
/* Gives team.waking back, so that the next thread may be woken. The caller's next search sees the tasks of all threads
   that found `waking` taken. */
static inline void ghcomp_task_team_give_waking(struct ghcomp_team *team)
{
    if (ghcomp_load_relaxed(&team->waking) != 0)
        ghcomp_xchg_acqrel(&team->waking, 0u);
}
/* Called after a sleep on the eventcount: the member may have been woken to search for a task. */
static inline void ghcomp_task_team_woken(struct ghcomp_member *self, struct ghcomp_team *team)
{
    if (ghcomp_load_relaxed(&team->waking) != 0)
        self->searching = true;
}
/* Ends the member's search, after it has found a task that it took or may not take: another sleeper may search, and is
   woken if more tasks are ready. */
void ghcomp_task_team_search_end_slow(struct ghcomp_member *self);
static inline void ghcomp_task_team_search_end(struct ghcomp_member *self)
{
    if (ghcomp_unlikely(self->searching))
        ghcomp_task_team_search_end_slow(self);
}
/* The member leaves its wait. */
static inline void ghcomp_task_team_wait_end(struct ghcomp_member *self)
{
    self->unripe = false;
    ghcomp_task_team_search_end(self);
}
/* The caller would sleep, but its last search found unripe tasks (self->unripe). True: it is the watch, and must search
   again; it may have napped. False: another member is the watch. */
bool ghcomp_task_team_watch(struct ghcomp_member *self, struct ghcomp_team *team);
/* Whether there are ready tasks in the team's deques or in its queue. */
bool ghcomp_task_team_more(struct ghcomp_team *team);
/* Whether all deferred tasks of the team are complete. True is conclusive when no implicit task of the team runs. */
bool ghcomp_task_team_quiescent(struct ghcomp_team *team);

/* A team of one has no door. A task that it deferred, and has not completed itself, waits for its only member, or has
   been completed outside the team. */
static inline bool ghcomp_task_team_pending(struct ghcomp_member *self)
{
    return ghcomp_load_relaxed(&self->created) != ghcomp_load_relaxed(&self->completed);
}
/* The barrier of a team of one with pending tasks: runs them. */
void ghcomp_task_team_drain(struct ghcomp_member *self);

/* The master, at the end of a region with tasks: runs them until all workers have finished their parts and all tasks
   are complete. */
void ghcomp_task_team_join(struct ghcomp_member *self);
/* Called by a worker at the end of its part of region `region`. The first passes the door (false: the region may be
   over); the second helps with tasks until the region is over. */
bool ghcomp_task_team_enter(struct ghcomp_team *team, uint32_t region);
void ghcomp_task_team_help(struct ghcomp_member *self, struct ghcomp_team *team, uint32_t region);
/* Whether the door is open, so that ghcomp_task_team_enter may succeed. */
static inline bool ghcomp_task_team_wants(struct ghcomp_team *team, uint32_t region)
{
    return ghcomp_load_seqcst(&team->door) >> 31 == ((uint64_t)region << 1 | 1);
}
/* In the child of fork(): the tasks of other threads are lost. */
void ghcomp_task_team_fork_child(struct ghcomp_team *team);
