/* The barrier and the join of teams of up to GHCOMP_BARRIER_FLAGS threads, with the fewest possible line transfers.
 *
 *   word                     meaning                                       written by
 *   barrier.flags[i]         last barrier at which member i has arrived    member i
 *   barrier.ended            last barrier that need not wait for tasks     maker of the region's first deferred task;
 *                                                                          the member that found all complete
 *   mail.finished_region     last region that the worker has finished      the worker
 *   team.unfinished          0, or the name of the worker that the        the master; that worker clears it
 *                            master sleeps for
 *
 * Each member has an *arrival flag* in the team's barrier, a word that it alone writes and all others read: the number
 * of the last barrier that it has arrived at, counted since the team was made. No member counts arrivals or releases
 * others: each reads all flags. The flags share one line. A member that takes the line to set its flag sees the other
 * flags with it, and a waiting member gets the line back when the last flag is set; so two threads need one transfer
 * each way. (A line for each flag would need two transfers each, because the reader's copy must be invalidated before
 * the flag is set: docs/internals/adr/0015.)
 *
 * The barrier.
 *
 *   1. A member adds one to its flag (store_release) and reads the others' (load_acquire). It passes when all flags
 *      have reached that number: all that was before the barrier in each member happens before all that is after it.
 *   2. Flags only grow, and no member is more than one barrier ahead of another. A member that has passed may be at the
 *      next barrier already, so a flag has reached a number if the difference is not negative.
 *   3. Tasks. The first deferred task of a region opens the team's door (task_team.c). Before that its maker stores the
 *      number of the last barrier in barrier.ended (the release of team.tasked publishes it); concurrent makers are
 *      between the same two barriers, and store the same number. From the next barrier on members run tasks while they
 *      wait. They pass when one of them has found all members at the barrier and all tasks complete, and has recorded
 *      it in barrier.ended (cas_acqrel, pairs with load_acquire): members that have not passed yet need not wait for
 *      tasks that a member makes after it has passed. A member that finds all flags set and the door shut, or its
 *      barrier in barrier.ended, has seen all that any member did before the barrier, so there is no task that it
 *      should wait for. While the door is open barrier.ended is the number of a waiting member's barrier, or of the one
 *      before: it is compared for equality, and may wrap as the flags do.
 *   4. Sleep. A waiter sleeps on the eventcount (eventcount.c): it sets the waiters bit (cas_seqcst) and reads the
 *      flags once more (load_seqcst). A member sets its flag and then reads the bit (load_seqcst). One of the two must
 *      see the other, so the flag must be visible before the bit is read. Either the member sets it by xchg_seqcst
 *      (*fenced*), or it stores it without a fence of the processor (fence_light), and the sleeper has all threads
 *      execute one before its last check, or checks again soon (eventcount.c). Every member that passes and sees the
 *      bit notifies.
 *   5. Cancellation. Waiters check for cancellation of the region. Flags differ afterwards; the master makes them equal
 *      after the join. The cancellation of a construct that has no share is recorded with the number of the barrier
 *      that ends it (cancel.c). Members that have passed that barrier clear the record (cas_acqrel): at once, or at a
 *      later barrier where another member has changed the word meanwhile.
 *
 * The join. A worker answers on the line that its mail came on: its *finish flag* is mail.finished_region. The worker
 * stores the region's number there, which never repeats in the same struct; the master reads all finish flags. The same
 * line goes back and forth. The master sleeps on team.unfinished as in larger teams, but the number in it is not a
 * count: the master names the worker that it will wait for, the last one that has not finished, sets bit 0
 * (xchg_seqcst), and reads that worker's flag once more. A worker reads the word after it has set its finish flag and
 * wakes the master if the word has its own number; with or without a fence as in step 4. So the master is not woken for
 * each worker. By then the team may be in its next region, or its struct reused for another team: the word keeps its
 * place, and a spuriously woken master checks again. The next region may count in the word; no count is a worker's
 * name, so a late worker leaves it as it is.
 *
 * Fenced or not. A fence of all threads interrupts their CPUs, so there are few of them, and most sleeps of members
 * with unfenced flags have a limit. The setter's own fence costs a tenth of a barrier of two polling threads, but
 * little where members yield anyway. So flags are fenced in teams larger than the machine (barrier_policy.c).
 *
 * In a crowd. A team is in a crowd if its master repeatedly sleeps in joins after little waiting: there are many
 * masters, other processes compute, or waiting is passive. Such a team waits by the counter in its next regions, until
 * AWAKE_TO_FLAGS regions in a row have passed without such a sleep. The master changes team.by_flags between two
 * regions, when no other thread reads it; the flags stay equal and the counter stays 0 in regions that do not use them.
 *
 * Why eight: each flag that is set takes the line from all readers. With more threads a counter is no slower.
 *
 * Called by barrier.c, team.c, task_team.c, cancel.c. Covered by
 * test/unit/{barrier_flags,barrier_flags_sleep,team,team_sleep,pause,pause_sleep,cancel,task}.c and
 * test/conformance/{barrier,cancel,task}. Explored (test/explore/{barrier_flags,fork_join}.c): no member passes or goes
 * on too early or sleeps for ever, with a task and cancelled; two or three members, two preemptions, one delayed store.
 */
#include "core/sync/barrier_flags.h"
#include "core/sync/eventcount.h"

#include "core/cpu/wait.h"
#include "core/trace/trace.h"
#include "host/os.h"

uint32_t ghcomp_unfenced_to = GHCOMP_BARRIER_FLAGS, ghcomp_flags_to = GHCOMP_BARRIER_FLAGS;

static inline bool reached(uint32_t flag, uint32_t episode)
{
    return (int32_t)(flag - episode) >= 0;
}

enum {
    HASTY_NS = 100000,    /* a *hasty* sleep comes after less waiting than this */
    HASTY_TO_COUNTER = 8, /* so many hasty sleeps ... */
    HASTY_APART = 4,      /* ... each within so many regions of the one before: wait by the counter */
    AWAKE_TO_FLAGS = 32   /* so many regions without a hasty sleep: wait by flags again */
};

static inline enum ghcomp_by_flags fitting(const struct ghcomp_team *team)
{
    if (team->size == 1 || team->size > ghcomp_flags_to || team->by_tree)
        return GHCOMP_FLAGS_NONE;
    return team->size <= ghcomp_unfenced_to ? GHCOMP_FLAGS_UNFENCED : GHCOMP_FLAGS_FENCED;
}

void ghcomp_barrier_flags_fit(struct ghcomp_team *team, uint32_t before)
{
    uint32_t episode = ghcomp_load_relaxed(&team->barrier.flags[0]);
    for (uint32_t i = before; i < team->size && i < GHCOMP_BARRIER_FLAGS; i++)
        ghcomp_store_relaxed(&team->barrier.flags[i], episode);
    team->by_flags = team->flags_next = fitting(team);
    team->hasty_sleeps = 0;
}

void ghcomp_barrier_flags_reset(struct ghcomp_team *team)
{
    uint32_t last = ghcomp_load_relaxed(&team->barrier.flags[0]);
    for (uint32_t i = 1; i < team->size; i++) {
        uint32_t flag = ghcomp_load_relaxed(&team->barrier.flags[i]);
        last = reached(flag, last) ? flag : last;
    }
    for (uint32_t i = 0; i < team->size; i++)
        ghcomp_store_relaxed(&team->barrier.flags[i], last);
}

void ghcomp_barrier_flags_choose(struct ghcomp_team *team, const struct ghcomp_spin *spin)
{
    if (spin->begin != 0 && ghcomp_os_now() - spin->begin > HASTY_NS)
        return;
    bool close = team->region - team->slept_in <= HASTY_APART;
    if (!close)
        team->hasty_sleeps = 0;
    if (team->region != team->slept_in)
        team->hasty_sleeps++;
    team->slept_in = team->region;
    if (team->hasty_sleeps >= HASTY_TO_COUNTER)
        team->flags_next = GHCOMP_FLAGS_NONE;
}

void ghcomp_barrier_flags_counted(struct ghcomp_team *team)
{
    if (!team->by_flags && team->region - team->slept_in >= AWAKE_TO_FLAGS && fitting(team) != GHCOMP_FLAGS_NONE) {
        team->flags_next = fitting(team);
        team->hasty_sleeps = 0;
    }
}

/* --- the barrier -------------------------------------------------------------------------------------------------- */

/* Step 3. */
static inline bool waits_for_tasks(struct ghcomp_team *team, uint32_t episode)
{
    return ghcomp_unlikely(ghcomp_task_team_used(team)) && ghcomp_load_acquire(&team->barrier.ended) != episode;
}

/* Whether all members from *from on have arrived. *from becomes the first that has not: the next check starts there. */
static inline bool complete(struct ghcomp_team *team, uint32_t episode, uint32_t *from)
{
    for (; *from < team->size; ++*from)
        if (!reached(ghcomp_load_seqcst(&team->barrier.flags[*from]), episode))
            return false;
    return true;
}

/* Whether the member may pass (step 3). The tasks are checked after the flags. */
static inline bool through(struct ghcomp_team *team, uint32_t episode, uint32_t *from)
{
    return complete(team, episode, from) && !waits_for_tasks(team, episode);
}

/* One check of step 3. True: it made progress; check again without waiting. */
static bool run_or_end(struct ghcomp_member *self, uint32_t episode, uint32_t *from, struct ghcomp_wait_pause *pause)
{
    struct ghcomp_team *team = self->team;
    if (ghcomp_barrier_run_task(self, pause))
        return true;
    if (!complete(team, episode, from) || !ghcomp_task_team_quiescent(team))
        return false;
    uint32_t ended = ghcomp_load_acquire(&team->barrier.ended);
    if (ended != episode)
        ghcomp_cas_acqrel(&team->barrier.ended, &ended, episode);
    return true;
}

/* Step 1. */
static inline uint32_t arrive(struct ghcomp_member *self, struct ghcomp_wait_pause *pause)
{
    _Atomic uint32_t *flag = &self->team->barrier.flags[self->tid];
    uint32_t episode = ghcomp_load_relaxed(flag);
    if (pause != NULL && pause->arrived)
        return episode;
    if (self->team->by_flags == GHCOMP_FLAGS_FENCED) {
        ghcomp_xchg_seqcst(flag, ++episode);
    } else {
        ghcomp_store_release(flag, ++episode);
        ghcomp_fence_light(); /* before the waiters bit is read: step 4 */
    }
    if (pause != NULL)
        pause->arrived = true;
    return episode;
}

static inline void notify_sleepers(struct ghcomp_team *team, uint32_t eventcount)
{
    if (ghcomp_unlikely(eventcount & 1u))
        ghcomp_eventcount_notify(team);
}

enum ghcomp_barrier_outcome ghcomp_barrier_flags_wait(struct ghcomp_member *self, bool cancellable,
                                                      struct ghcomp_wait_pause *pause)
{
    struct ghcomp_team *team = self->team;
    if (cancellable && ghcomp_barrier_region_cancelled(team))
        return GHCOMP_BARRIER_CANCELLED;
    uint32_t episode = arrive(self, pause), from = 0, eventcount;
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_BARRIER);
    struct ghcomp_eventcount_wait sleep = {0};
    while (eventcount = ghcomp_load_seqcst(&team->barrier.eventcount), !through(team, episode, &from)) {
        if (cancellable && ghcomp_barrier_region_cancelled(team))
            return GHCOMP_BARRIER_CANCELLED;
        if (waits_for_tasks(team, episode) && run_or_end(self, episode, &from, pause)) {
            if (pause != NULL && pause->task != NULL)
                return GHCOMP_BARRIER_PAUSED;
            spin = ghcomp_spin_start(GHCOMP_WAIT_BARRIER);
            sleep.announced = false;
            continue;
        }
        ghcomp_task_none_in_wait(self);
        if (!ghcomp_eventcount_spin_again(&spin, &sleep) && ghcomp_eventcount_sleep(self, team, eventcount, &sleep))
            ghcomp_task_team_woken(self, team);
    }
    notify_sleepers(team, eventcount);
    return ghcomp_barrier_left(team, cancellable);
}

bool ghcomp_barrier_flags_arrive(struct ghcomp_member *self, struct ghcomp_wait_pause *pause, uint32_t polls)
{
    struct ghcomp_team *team = self->team;
    uint32_t episode = arrive(self, pause), from = 0;
    for (;; polls--) {
        uint32_t eventcount = ghcomp_load_seqcst(&team->barrier.eventcount);
        if (through(team, episode, &from)) {
            notify_sleepers(team, eventcount);
            return true;
        }
        if (polls == 0)
            return false;
        ghcomp_cpu_pause();
    }
}

void ghcomp_barrier_flags_end_construct(struct ghcomp_member *self)
{
    struct ghcomp_team *team = self->team;
    uint32_t said = ghcomp_load_relaxed(&team->cancelled);
    if (!team->by_flags || !(said & GHCOMP_CANCELLED_SHARE))
        return;
    uint32_t cancelled = said >> GHCOMP_CANCELLED_CONSTRUCT << GHCOMP_CANCELLED_CONSTRUCT;
    uint32_t next = ghcomp_barrier_flags_construct(self) << GHCOMP_CANCELLED_CONSTRUCT;
    if ((int32_t)(cancelled - next) < 0)
        ghcomp_cas_acqrel(&team->cancelled, &said, said & GHCOMP_CANCELLED_PARALLEL);
}

/* --- the join ----------------------------------------------------------------------------------------------------- */

void ghcomp_barrier_flags_wake_master(struct ghcomp_team *team, uint32_t word)
{
    if (ghcomp_cas_acqrel(&team->unfinished, &word, 0u))
        ghcomp_os_wake(&team->unfinished, 1);
}

/* The last worker that has not finished. Worker `from` had not when the caller checked. */
static uint32_t last_unfinished(const struct ghcomp_team *team, uint32_t from)
{
    uint32_t last = team->size - 1;
    while (last > from && ghcomp_barrier_flags_finished(team, last))
        last--;
    return last;
}

/* A sleep with a limit, for a master that has not fenced all threads: a worker may have read the word before the word
   named it ("A sleep without that fence" in eventcount.c). */
static void park_limited(struct ghcomp_team *team, uint32_t word, uint32_t *slept_on, uint32_t *limit_ns)
{
    *limit_ns = ghcomp_eventcount_longer(*slept_on == word ? *limit_ns : 0);
    *slept_on = word;
    ghcomp_wait_park_for(&team->unfinished, word, *limit_ns);
}

/* Polls until all workers have finished, or there is a deferred task. False: the polling time is over. */
static inline bool join_awake(struct ghcomp_team *team, struct ghcomp_spin *spin, uint32_t *from)
{
    while (!ghcomp_barrier_flags_all_finished(team, from) && !ghcomp_task_team_used(team))
        if (ghcomp_unlikely(!ghcomp_spin_again(spin)))
            return false;
    return true;
}

static __attribute__((noinline, cold)) void join_asleep(struct ghcomp_team *team, struct ghcomp_spin *spin,
                                                        uint32_t from)
{
    uint32_t slept_on = 0, limit_ns = 0;
    do {
        uint32_t last = last_unfinished(team, from), word = ghcomp_barrier_flags_name(last);
        ghcomp_xchg_seqcst(&team->unfinished, word);
        ghcomp_barrier_flags_choose(team, spin);
        bool fenced = team->by_flags == GHCOMP_FLAGS_FENCED || ghcomp_eventcount_fence(team->members[0]->thread);
        if (ghcomp_barrier_flags_all_finished(team, &from) || ghcomp_task_team_used(team))
            break;
        if (ghcomp_barrier_flags_finished(team, last))
            ; /* poll again, and then name another worker */
        else if (ghcomp_likely(fenced))
            ghcomp_wait_park(&team->unfinished, word);
        else
            park_limited(team, word, &slept_on, &limit_ns);
    } while (!join_awake(team, spin, &from));
    ghcomp_store_relaxed(&team->unfinished, 0u);
}

void ghcomp_barrier_flags_join(struct ghcomp_team *team)
{
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_TEAM);
    uint32_t from = 1;
    if (ghcomp_unlikely(!join_awake(team, &spin, &from)))
        join_asleep(team, &spin, from);
}
