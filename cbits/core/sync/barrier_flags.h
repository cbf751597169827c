/* Teams of a few threads: the barrier and the join by marks that each member makes for all to see. Protocol in
   barrier_flags.c. */
#pragma once

#include "core/state/types.h"
#include "core/sync/barrier_wait.h"
#include "core/sync/task_team.h"

/* After the team's size has changed from `before`. Master, between regions. */
void ghcomp_barrier_flags_fit(struct ghcomp_team *team, uint32_t before);
/* Members may have left barriers early: makes their marks alike. Master, after the join. */
void ghcomp_barrier_flags_reset(struct ghcomp_team *team);

/* As in barrier.h, for teams that are `few`. */
enum ghcomp_barrier_outcome ghcomp_barrier_flags_wait(struct ghcomp_member *self, bool cancellable,
                                            struct ghcomp_wait_pause *pause);
bool ghcomp_barrier_flags_arrive(struct ghcomp_member *self, struct ghcomp_wait_pause *pause, uint32_t polls);

/* Names the construct that the member's next barrier ends, in 24 bits, for as long as the region lasts (cancel.c). */
static inline uint32_t ghcomp_barrier_flags_construct(const struct ghcomp_member *self)
{
    return (ghcomp_load_relaxed(&self->team->barrier.flags[self->tid]) + 1) & 0xffffffu;
}

/* The first deferred task of a region is about to be pushed: barriers wait for tasks from the member's next one on.
   Before the door is opened (task_team.c). */
static inline void ghcomp_barrier_flags_tasks_begin(struct ghcomp_member *self)
{
    struct ghcomp_team *team = self->team;
    if (team->by_flags)
        ghcomp_store_relaxed(&team->barrier.tasks_from, ghcomp_load_relaxed(&team->barrier.flags[self->tid]) + 1);
}

void ghcomp_barrier_flags_wake_master(struct ghcomp_team *team) __attribute__((cold));
/* The worker is at its end of the region of that number; with the mark the team is the master's again. */
static inline void ghcomp_barrier_flags_finish(struct ghcomp_team *team, struct ghcomp_thread *worker, uint32_t region)
{
    ghcomp_store_release(&worker->mail.finished_region, region);
    if (ghcomp_unlikely(ghcomp_load_relaxed(&team->unfinished) & 1u))
        ghcomp_barrier_flags_wake_master(team);
}
/* Whether all workers are at their ends, those before *from aside, which says how far the look came. */
static inline bool ghcomp_barrier_flags_all_finished(const struct ghcomp_team *team, uint32_t *from)
{
    for (; *from < team->size; ++*from)
        if (ghcomp_load_acquire(&ghcomp_worker_of(team->members[*from])->mail.finished_region) != team->region)
            return false;
    return true;
}
/* Waits for that, or for the first deferred task. Master. */
void ghcomp_barrier_flags_join(struct ghcomp_team *team);
