/* The barrier inside a region, and the bell of a team. Protocol in barrier.c. */
#pragma once

#include "core/sync/task_team.h"
#include "core/state/types.h"
#include "core/cpu/wait.h"

/* Waits for the whole team, and for all its tasks. Everything before it in any member, and in any task made before it,
   happens before everything after it in every member. Called by every member of the team, each episode once. */
void ghcomp_barrier_wait(struct ghcomp_member *self);
/* The same, left early with true once the region has been cancelled (cancel.c). */
bool ghcomp_barrier_wait_cancellable(struct ghcomp_member *self);
/* The cancellable one with a pause (task.h), which starts as {.fn = ...}: false when it holds a task to run, after
   which the member comes back with the same pause. */
struct ghcomp_wait_pause;
bool ghcomp_barrier_wait_paused(struct ghcomp_member *self, struct ghcomp_wait_pause *pause);
/* The beginning of such a wait: arrives and polls that many times, but never sleeps and runs no task. True: the barrier
   is over (the region may be cancelled); else the member goes on with the same pause. */
bool ghcomp_barrier_arrive(struct ghcomp_member *self, struct ghcomp_wait_pause *pause, uint32_t polls);
/* Makes a barrier that members left early ready for the next region. Master, after the join. */
void ghcomp_barrier_reset(struct ghcomp_team *team);

/* The bell's word: the barrier's episode in the top bits, then the number of rings, bit 0 says that somebody sleeps. */
#define GHCOMP_BELL_EPISODE UINT32_C(0x01000000)
#define GHCOMP_BELL_EPISODES UINT32_C(0xff000000)
#define GHCOMP_BELL_RINGS UINT32_C(0x00fffffe)

/* Makes all that sleep on the team's bell look again at what they wait for. Any thread; the team may be over already
   (its memory stays a team's). */
void ghcomp_bell_ring(struct ghcomp_team *team);
/* Counts a ring without waking anybody: what is on its way to sleep looks again. `keep` is 1 to leave it on record that
   somebody sleeps, else 0. Returns the bell as it was. */
static inline uint32_t ghcomp_bell_count(struct ghcomp_team *team, uint32_t keep)
{
    uint32_t bell = ghcomp_load_relaxed(&team->barrier.bell);
    while (!ghcomp_cas_acqrel(&team->barrier.bell, &bell,
                              (bell & (GHCOMP_BELL_EPISODES | keep)) | ((bell + 2) & GHCOMP_BELL_RINGS)))
        ;
    return bell;
}
/* A member on its way to sleep, from its first look to the sleep. Starts as zeros. */
struct ghcomp_bell_wait {
    bool announced; /* the bit is set, and all members have been fenced since */
    bool fenced;    /* ... if the system can do that */
};

/* A step towards sleep for a member that waits for whatever is announced by a ring: `seen` is the bell as it was
   (load_acquire) before the member looked at what it waits for. The first call says that somebody sleeps, and fences
   all members where there are tasks (task_team.c says why) or marks (barrier_flags.c); the member must look again, with a new
   `seen`. True: it may sleep. */
static inline bool ghcomp_bell_ready(struct ghcomp_team *team, uint32_t seen, struct ghcomp_bell_wait *wait)
{
    if (wait->announced && (seen & 1u))
        return true;
    if (!(seen & 1u))
        ghcomp_cas_seqcst(&team->barrier.bell, &seen, seen | 1u);
    wait->fenced = (!team->few && !ghcomp_task_team_used(team)) || ghcomp_os_fence_all();
    wait->announced = true;
    return false;
}

/* The same, and then the sleep, in one of the classes of host/os.h. True: it slept. */
static inline bool ghcomp_bell_sleep_class(struct ghcomp_team *team, uint32_t seen, struct ghcomp_bell_wait *wait,
                                           uint32_t classes)
{
    enum { UNFENCED_NS = 1000000 };
    if (!ghcomp_bell_ready(team, seen, wait))
        return false;
    if (ghcomp_likely(wait->fenced))
        ghcomp_wait_park_class(&team->barrier.bell, seen, classes);
    else
        ghcomp_wait_park_for(&team->barrier.bell, seen, UNFENCED_NS);
    wait->announced = false;
    return true;
}
static inline bool ghcomp_bell_sleep(struct ghcomp_team *team, uint32_t seen, struct ghcomp_bell_wait *wait)
{
    return ghcomp_bell_sleep_class(team, seen, wait, UINT32_MAX);
}
