/* The barrier and the join of teams that wait by flags. Protocol in barrier_flags.c. */
#pragma once

#include "core/state/types.h"
#include "core/sync/barrier_wait.h"
#include "core/sync/task_team.h"

/* Fits the flags to the team's new size; it had `before` members. Called by the master, between regions. */
void ghcomp_barrier_flags_fit(struct ghcomp_team *team, uint32_t before);
/* Decide whether the team's next regions wait by flags ("In a crowd" in barrier_flags.c). The master calls the first
   before a sleep in a join in which it has waited by `spin`, the second after a join by the counter. */
void ghcomp_barrier_flags_choose(struct ghcomp_team *team, const struct ghcomp_spin *spin) __attribute__((cold));
void ghcomp_barrier_flags_counted(struct ghcomp_team *team);
/* Makes the arrival flags equal after members may have left barriers early. Called by the master, after the join. */
void ghcomp_barrier_flags_reset(struct ghcomp_team *team);

/* The largest teams that wait by flags, and by unfenced flags. At most GHCOMP_BARRIER_FLAGS; immutable after
   ghcomp_barrier_policy_init, except in unit tests. */
extern uint32_t ghcomp_flags_to, ghcomp_unfenced_to;

/* As in barrier.h, where team.by_flags. */
enum ghcomp_barrier_outcome ghcomp_barrier_flags_wait(struct ghcomp_member *self, bool cancellable,
                                                      struct ghcomp_wait_pause *pause);
bool ghcomp_barrier_flags_arrive(struct ghcomp_member *self, struct ghcomp_wait_pause *pause, uint32_t polls);

/* Names the construct that the member's next barrier ends, in 24 bits (cancel.c). */
static inline uint32_t ghcomp_barrier_flags_construct(const struct ghcomp_member *self)
{
    return (ghcomp_load_relaxed(&self->team->barrier.flags[self->tid]) + 1) & 0xffffffu;
}
/* The member has passed a barrier: forgets the cancellation of a construct that this barrier, or one before it, has
   ended. A later construct may have the same name. */
void ghcomp_barrier_flags_end_construct(struct ghcomp_member *self) __attribute__((cold));

/* Makes barriers wait for tasks, from the member's next one on. Called before the region's first deferred task opens
   the door (task_team.c). */
static inline void ghcomp_barrier_flags_tasks_begin(struct ghcomp_member *self)
{
    struct ghcomp_team *team = self->team;
    if (team->by_flags)
        ghcomp_store_relaxed(&team->barrier.ended, ghcomp_load_relaxed(&team->barrier.flags[self->tid]));
}

/* The value of team.unfinished while the master sleeps for a worker. No count has its top bit: a worker that reads or
   changes the word late, in a region that counts, takes no count for its name. */
static inline uint32_t ghcomp_barrier_flags_name(uint32_t tid)
{
    return UINT32_C(1) << 31 | tid << 1 | 1u;
}
/* Wakes the master, which sleeps on team.unfinished while that is `word`. */
void ghcomp_barrier_flags_wake_master(struct ghcomp_team *team, uint32_t word) __attribute__((cold));
/* Called by a worker at the end of its part of region `region`: sets its finish flag, by which it leaves the team to
   the master. */
static inline void ghcomp_barrier_flags_finish(struct ghcomp_team *team, struct ghcomp_thread *worker, uint32_t region)
{
    uint32_t tid = worker->self.tid;
    if (team->by_flags == GHCOMP_FLAGS_FENCED) {
        ghcomp_xchg_seqcst(&worker->mail.finished_region, region);
    } else {
        ghcomp_store_release(&worker->mail.finished_region, region);
        ghcomp_fence_light(); /* the master has all threads execute a fence between setting bit 0 and its last check */
    }
    uint32_t word = ghcomp_load_seqcst(&team->unfinished);
    if (ghcomp_unlikely(word == ghcomp_barrier_flags_name(tid)))
        ghcomp_barrier_flags_wake_master(team, word);
}
static inline bool ghcomp_barrier_flags_finished(const struct ghcomp_team *team, uint32_t tid)
{
    return ghcomp_load_seqcst(&ghcomp_worker_of(team->members[tid])->mail.finished_region) == team->region;
}
/* Whether all workers from *from on have set their finish flags. *from becomes the first that has not: the next check
   starts there. */
static inline bool ghcomp_barrier_flags_all_finished(const struct ghcomp_team *team, uint32_t *from)
{
    for (; *from < team->size; ++*from)
        if (!ghcomp_barrier_flags_finished(team, *from))
            return false;
    return true;
}
/* Waits until all workers have finished, or until there is a deferred task. Called by the master. */
void ghcomp_barrier_flags_join(struct ghcomp_team *team);
