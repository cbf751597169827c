/* The barrier inside a region. Teams that wait by flags have barrier_flags.c, large teams barrier_tree.c. The barrier
 * of the other teams, here, is a counter of arrivals and an episode in the top bits of the eventcount. eventcount.c
 * describes sleep and wake-up.
 *
 * 1. A member reads the episode, then adds itself to `arrived` (add_acqrel).
 * 2. In a region without tasks the last member to arrive sets `arrived` back to 0, clears the cancellation of the
 *    construct that ends here, and exchanges the eventcount for one of the next episode (xchg_acqrel, pairs with the
 *    waiters' load_acquire). The members that it releases may arrive at the next episode at once: `arrived` was reset
 *    before.
 * 3. The others wait for the episode to change. The releaser wakes two sleepers; each woken member wakes two more, so
 *    that waking takes O(log n) steps. They wake sleepers of this episode only: those of the next one are in another
 *    class (barrier_wait.h).
 *
 * In a region with tasks the members run tasks in step 3. One of the members that find that all have arrived and all
 * tasks are complete (task_team.c) then does step 2: the cas of `arrived` from the team's size to 0 selects it. A
 * member that is delayed between the two checks cannot mistake a later episode for this one, which would lack its own
 * arrival.
 *
 * Leaving early: cancel.c sets team.cancelled and notifies. After that the count of arrivals is stale, which is
 * harmless: the join counts separately, and the master resets the barrier after it.
 *
 * Pauses (task.h): a member that has arrived may leave the wait with a task and return to the same episode. It still
 * counts as arrived, and the barrier cannot end before that task is complete.
 *
 * Called by abi/gomp, abi/kmp, haskell/construct.c, team.c, single.c, task_reduction.c. Covered by
 * test/unit/{team,team_sleep,pause,pause_sleep}.c and test/conformance/{barrier,cancel,task}. Explored
 * (test/explore/barrier_count.c): no member passes too early or sleeps for ever; all schedules of two members under
 * TSO, two preemptions with three.
 */
#include "core/sync/barrier.h"
#include "core/sync/eventcount.h"

#include "core/cpu/yield_to_haskell.h"
#include "core/sync/barrier_flags.h"
#include "core/sync/barrier_tree.h"
#include "core/sync/barrier_wait.h"
#include "core/sync/task_team.h"
#include "core/task/task.h"
#include "core/tool/tool.h"
#include "core/trace/trace.h"
#include "core/tsan/races.h"

/* The class of the episode's sleepers (barrier_wait.h). */
static inline uint32_t class_of(uint32_t episode)
{
    return ghcomp_barrier_class(episode / GHCOMP_EVENTCOUNT_EPISODE);
}

/* The rest of step 2, after `arrived` is 0 again: ends the episode. */
static void release(struct ghcomp_team *team, uint32_t episode)
{
    ghcomp_barrier_end_cancelled_share(team);
    if (ghcomp_xchg_acqrel(&team->barrier.eventcount, episode + GHCOMP_EVENTCOUNT_EPISODE) & 1u)
        ghcomp_os_wake_class(&team->barrier.eventcount, 2, class_of(episode));
}

/* One check of step 3 in a region with tasks. True: it made progress; check again without waiting. */
static bool run_or_release(struct ghcomp_member *self, uint32_t episode, struct ghcomp_wait_pause *pause)
{
    struct ghcomp_team *team = self->team;
    if (ghcomp_barrier_run_task(self, pause))
        return true;
    uint32_t arrived = team->size;
    if (ghcomp_load_acquire(&team->barrier.arrived) != arrived || !ghcomp_task_team_quiescent(team))
        return false;
    if (ghcomp_cas_acqrel(&team->barrier.arrived, &arrived, 0u))
        release(team, episode);
    return true;
}

static void wait_alone(struct ghcomp_member *self)
{
    if (ghcomp_unlikely(ghcomp_task_team_pending(self)))
        ghcomp_task_team_drain(self);
    ghcomp_barrier_end_cancelled_share(self->team);
}

/* Steps 1 and 2. True: the episode is over. */
static inline bool arrive(struct ghcomp_member *self, uint32_t *episode)
{
    struct ghcomp_team *team = self->team;
    struct ghcomp_barrier *barrier = &team->barrier;
    *episode = ghcomp_load_relaxed(&barrier->eventcount) & GHCOMP_EVENTCOUNT_EPISODES;
    if (ghcomp_add_acqrel(&barrier->arrived, 1u) + 1 != team->size || ghcomp_task_team_used(team))
        return false;
    ghcomp_store_relaxed(&barrier->arrived, 0u);
    release(team, *episode);
    return true;
}

/* A wait in a team of several that waits by the counter. `pause` is NULL for a wait that runs all tasks itself. */
static inline enum ghcomp_barrier_outcome wait_episode(struct ghcomp_member *self, bool cancellable,
                                                       struct ghcomp_wait_pause *pause)
{
    struct ghcomp_team *team = self->team;
    struct ghcomp_barrier *barrier = &team->barrier;
    if (cancellable && ghcomp_barrier_region_cancelled(team))
        return GHCOMP_BARRIER_CANCELLED;
    uint32_t episode;
    if (pause != NULL && pause->arrived) {
        episode = pause->episode;
    } else {
        if (arrive(self, &episode))
            return ghcomp_barrier_left(team, cancellable);
        if (pause != NULL) {
            pause->arrived = true;
            pause->episode = episode;
        }
    }
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_BARRIER);
    struct ghcomp_eventcount_wait sleep = {0};
    bool slept = false;
    uint32_t eventcount;
    while (((eventcount = ghcomp_load_acquire(&barrier->eventcount)) & GHCOMP_EVENTCOUNT_EPISODES) == episode) {
        if (cancellable && ghcomp_barrier_region_cancelled(team))
            return GHCOMP_BARRIER_CANCELLED;
        if (ghcomp_unlikely(ghcomp_task_team_used(team)) && run_or_release(self, episode, pause)) {
            if (pause != NULL && pause->task != NULL)
                return GHCOMP_BARRIER_PAUSED;
            spin = ghcomp_spin_start(GHCOMP_WAIT_BARRIER);
            sleep.announced = false;
            continue;
        }
        ghcomp_task_none_in_wait(self);
        if (!ghcomp_eventcount_spin_again(&spin, &sleep) &&
            ghcomp_eventcount_sleep_class(self, team, eventcount, &sleep, class_of(episode))) {
            slept = true;
            ghcomp_task_team_woken(self, team);
        }
    }
    if (slept && team->size > 3)
        ghcomp_os_wake_class(&barrier->eventcount, 2, class_of(episode));
    return ghcomp_barrier_left(team, cancellable);
}

static inline enum ghcomp_barrier_outcome wait_by_kind(struct ghcomp_member *self, bool cancellable,
                                                       struct ghcomp_wait_pause *pause)
{
    if (ghcomp_likely(self->team->by_flags))
        return ghcomp_barrier_flags_wait(self, cancellable, pause);
    if (self->team->by_tree)
        return ghcomp_barrier_tree_wait(self, cancellable, pause);
    return wait_episode(self, cancellable, pause);
}

static inline enum ghcomp_barrier_outcome wait_in_team(struct ghcomp_member *self, bool cancellable,
                                                       struct ghcomp_wait_pause *pause)
{
    enum ghcomp_barrier_outcome outcome = wait_by_kind(self, cancellable, pause);
    ghcomp_task_team_wait_end(self);
    return outcome;
}

static inline bool wait_any(struct ghcomp_member *self, bool cancellable, uint32_t observers)
{
    if (self->team->size == 1) {
        wait_alone(self);
        ghcomp_races_acquire(observers, ghcomp_races_barrier(self));
        return cancellable && ghcomp_barrier_region_cancelled(self->team);
    }
    ghcomp_yield_to_haskell_at_barrier(self);
    uint32_t traced = ghcomp_trace_begin(observers, GHCOMP_TRACE_BARRIER);
    ghcomp_races_arrive(observers, self);
    bool cancelled = wait_in_team(self, cancellable, NULL) == GHCOMP_BARRIER_CANCELLED;
    ghcomp_races_leave(observers, self);
    ghcomp_trace_end(GHCOMP_TRACE_BARRIER, traced);
    return cancelled;
}

static __attribute__((noinline, cold)) bool wait_observed(struct ghcomp_member *self, bool cancellable,
                                                          uint32_t observers)
{
    if (!(observers & GHCOMP_OBSERVE_TOOL))
        return wait_any(self, cancellable, observers);
    struct ghcomp_tool_sync sync;
    ghcomp_tool_sync_begin(self, &sync, 0);
    bool cancelled = wait_any(self, cancellable, observers);
    ghcomp_tool_sync_end(self, &sync);
    return cancelled;
}

/* The next two wait without hooks. They are separate functions so that a team of one without tasks saves no
   registers. */
static __attribute__((noinline)) bool wait_for_others(struct ghcomp_member *self, bool cancellable)
{
    ghcomp_yield_to_haskell_at_barrier(self);
    return wait_in_team(self, cancellable, NULL) == GHCOMP_BARRIER_CANCELLED;
}

static __attribute__((noinline)) bool wait_for_tasks(struct ghcomp_member *self, bool cancellable)
{
    wait_alone(self);
    return cancellable && ghcomp_barrier_region_cancelled(self->team);
}

static inline bool wait_fast(struct ghcomp_member *self, bool cancellable)
{
    struct ghcomp_team *team = self->team;
    if (team->size > 1)
        return wait_for_others(self, cancellable);
    if (ghcomp_unlikely(ghcomp_task_team_pending(self)))
        return wait_for_tasks(self, cancellable);
    ghcomp_barrier_end_cancelled_share(team);
    return cancellable && ghcomp_barrier_region_cancelled(team);
}

/* With any observers, and whatever cancel-var is. */
static inline bool wait_by_observers(struct ghcomp_member *self, bool cancellable)
{
    uint32_t observers = ghcomp_observers_now();
    bool cancelled = ghcomp_observed(observers) ? wait_observed(self, cancellable, observers)
                                                : wait_fast(self, cancellable);
    if (ghcomp_unlikely(observers & GHCOMP_CANCELLABLE))
        ghcomp_barrier_flags_end_construct(self);
    return cancelled;
}

void ghcomp_barrier_wait(struct ghcomp_member *self)
{
    wait_by_observers(self, false);
}

bool ghcomp_barrier_wait_cancellable(struct ghcomp_member *self)
{
    return wait_by_observers(self, true);
}

GHCOMP_HOT_CODE void ghcomp_barrier_wait_fast(struct ghcomp_member *self)
{
    wait_fast(self, false);
}

bool ghcomp_barrier_wait_cancellable_fast(struct ghcomp_member *self)
{
    return wait_fast(self, true);
}

void ghcomp_barrier_wait_unreported(struct ghcomp_member *self)
{
    wait_any(self, true, ghcomp_observers_now());
}

static inline bool arrive_by_kind(struct ghcomp_member *self, struct ghcomp_wait_pause *pause, uint32_t polls)
{
    struct ghcomp_team *team = self->team;
    if (ghcomp_likely(team->by_flags))
        return ghcomp_barrier_flags_arrive(self, pause, polls);
    if (team->by_tree)
        return ghcomp_barrier_tree_arrive(self, pause, polls);
    if (!pause->arrived) {
        if (arrive(self, &pause->episode))
            return true;
        pause->arrived = true;
    }
    while (polls-- > 0) {
        if ((ghcomp_load_acquire(&team->barrier.eventcount) & GHCOMP_EVENTCOUNT_EPISODES) != pause->episode)
            return true;
        ghcomp_cpu_pause();
    }
    return false;
}

bool ghcomp_barrier_arrive(struct ghcomp_member *self, struct ghcomp_wait_pause *pause, uint32_t polls)
{
    struct ghcomp_team *team = self->team;
    if (team->size == 1 || ghcomp_barrier_region_cancelled(team))
        return false;
    uint32_t observers = ghcomp_observers_now();
    if (!pause->arrived)
        ghcomp_races_arrive(observers, self);
    bool over = arrive_by_kind(self, pause, polls);
    if (over)
        ghcomp_races_leave(observers, self);
    return over;
}

bool ghcomp_barrier_wait_paused(struct ghcomp_member *self, struct ghcomp_wait_pause *pause)
{
    pause->task = NULL;
    if (self->team->size == 1) {
        wait_alone(self);
        ghcomp_races_acquire(ghcomp_observers_now(), ghcomp_races_barrier(self));
        return true;
    }
    uint32_t observers = ghcomp_observers_now(), traced = ghcomp_trace_begin(observers, GHCOMP_TRACE_BARRIER);
    if (!pause->arrived)
        ghcomp_races_arrive(observers, self);
    bool over = wait_in_team(self, true, pause) != GHCOMP_BARRIER_PAUSED;
    if (over)
        ghcomp_races_leave(observers, self);
    ghcomp_trace_end(GHCOMP_TRACE_BARRIER, traced);
    return over;
}

void ghcomp_barrier_reset(struct ghcomp_team *team)
{
    ghcomp_store_relaxed(&team->barrier.arrived, 0u);
    if (team->by_flags)
        ghcomp_barrier_flags_reset(team);
    if (team->by_tree)
        ghcomp_barrier_tree_reset(team);
}
