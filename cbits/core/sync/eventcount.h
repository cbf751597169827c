/* The eventcount of a team: the one futex word that members sleep on while they wait for other members, in a barrier,
 * in a wait for tasks, or for the tasks at a region's end. Protocol in eventcount.c. */
#pragma once

#include "core/cpu/wait.h"
#include "core/state/types.h"
#include "core/sync/task_team.h"

/* The word: the barrier's episode in bits 24 to 31, the number of notifications in bits 1 to 23, the waiters bit in bit
   0. Here: one episode, and the masks of the two numbers. */
#define GHCOMP_EVENTCOUNT_EPISODE UINT32_C(0x01000000)
#define GHCOMP_EVENTCOUNT_EPISODES UINT32_C(0xff000000)
#define GHCOMP_EVENTCOUNT_EVENTS UINT32_C(0x00fffffe)

/* Makes all sleepers on the team's eventcount check their conditions again, after the caller has changed one. Any
   thread; the region may be over already (memory of teams is never freed). */
void ghcomp_eventcount_notify(struct ghcomp_team *team);

/* Counts a notification without a wake-up: a thread that is about to sleep checks again. `keep` is 1 to keep the
   waiters bit, 0 to clear it. Returns the eventcount as it was. */
static inline uint32_t ghcomp_eventcount_advance(struct ghcomp_team *team, uint32_t keep)
{
    uint32_t eventcount = ghcomp_load_relaxed(&team->barrier.eventcount);
    while (!ghcomp_cas_acqrel(
        &team->barrier.eventcount, &eventcount,
        (eventcount & (GHCOMP_EVENTCOUNT_EPISODES | keep)) | ((eventcount + 2) & GHCOMP_EVENTCOUNT_EVENTS)))
        ;
    return eventcount;
}

/* The state of a wait, from its first check to the sleep. Initialised to zeros. */
struct ghcomp_eventcount_wait {
    /* Step 2 is done: the waiters bit was set, and all threads have been fenced since, where that is needed. The waiter
       clears it when it has run a task. */
    bool announced;
    bool fenced;         /* false: the fence was omitted, so sleeps have a limit */
    uint32_t announced_on; /* the word with the bit: after a notification another waiter may have set the bit again,
                              later than this one's fence */
    uint32_t slept_on;   /* the eventcount in its last sleep with a limit, */
    uint32_t limit_ns;   /* ... and that limit; 0: none yet */
};

/* A fence of all threads for a sleeper, which is counted. As ghcomp_os_fence_all. */
bool ghcomp_eventcount_fence(struct ghcomp_thread *thread) __attribute__((cold));
/* The limit of the next sleep without a fence on an unchanged word, where the last one had `limit_ns`; 0: the first
   sleep on it. */
uint32_t ghcomp_eventcount_longer(uint32_t limit_ns);
/* The sleep, with a limit, of a waiter that has announced itself without a fence. */
void ghcomp_eventcount_sleep_limited(struct ghcomp_team *team, uint32_t seen, struct ghcomp_eventcount_wait *wait);

/* After a failed check: whether the member polls on. False once it has announced itself, and so decided to sleep; then
   no polls are left. */
static inline bool ghcomp_eventcount_spin_again(struct ghcomp_spin *spin, const struct ghcomp_eventcount_wait *wait)
{
    if (ghcomp_spin_polls(spin))
        return true;
    return !wait->announced && ghcomp_spin_slow(spin);
}

/* A step towards sleep: `seen` is the eventcount as the member loaded it (load_acquire) before it checked its
   condition. The first call is step 2 of a wait (eventcount.c) and returns false: the member must check again, with a
   new `seen`. True: it may sleep. `team` is the member's, or was: see ghcomp_task_team_help. */
static inline bool ghcomp_eventcount_prepare(struct ghcomp_member *self, struct ghcomp_team *team, uint32_t seen,
                                             struct ghcomp_eventcount_wait *wait)
{
    if (ghcomp_unlikely(self->unripe) && ghcomp_task_team_watch(self, team)) {
        wait->announced = false;
        return false;
    }
    if (ghcomp_unlikely(self->searching)) {
        self->searching = false;
        ghcomp_task_team_give_waking(team);
        wait->announced = false; /* another check must follow: "Waking for a task" in task_team.c */
    }
    if (wait->announced && seen == wait->announced_on)
        return true;
    wait->announced_on = seen | 1u;
    ghcomp_cas_seqcst(&team->barrier.eventcount, &seen, seen | 1u);
    wait->fenced = (team->by_flags != GHCOMP_FLAGS_UNFENCED && !ghcomp_task_team_used(team)) ||
                   ghcomp_eventcount_fence(self->thread);
    wait->announced = true;
    return false;
}

/* ghcomp_eventcount_prepare, and then the sleep, in one of the classes of host/os.h. True: it slept. */
static inline bool ghcomp_eventcount_sleep_class(struct ghcomp_member *self, struct ghcomp_team *team,
                                                 uint32_t seen, struct ghcomp_eventcount_wait *wait, uint32_t classes)
{
    if (!ghcomp_eventcount_prepare(self, team, seen, wait))
        return false;
    if (ghcomp_likely(wait->fenced))
        ghcomp_wait_park_class(&team->barrier.eventcount, seen, classes);
    else
        ghcomp_eventcount_sleep_limited(team, seen, wait);
    wait->announced = false;
    return true;
}

static inline bool ghcomp_eventcount_sleep(struct ghcomp_member *self, struct ghcomp_team *team, uint32_t seen,
                                           struct ghcomp_eventcount_wait *wait)
{
    return ghcomp_eventcount_sleep_class(self, team, seen, wait, UINT32_MAX);
}
