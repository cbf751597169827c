/* The barrier and the join of teams of up to GHCOMP_BARRIER_FLAGS threads, with as few line transfers as there can be.
 *
 * Each member has a word in the team's barrier that it alone writes and all others read, its *mark*: the last barrier
 * that it has arrived at, counted since the team was made. Nobody counts arrivals and nobody says go: each member
 * looks at all marks itself. The marks share one line. Who takes the line to make its mark sees with it what marks
 * there are, and who waits gets it back when the last one is made; so two threads need one transfer each way. (With a
 * line for each mark each transfer is two: the reader's copy must go before the mark can be made. Three times as
 * long in a trial: docs/adr/0015.)
 *
 * The barrier.
 *
 *   1. A member adds one to its mark (store_release) and looks at the others' (load_acquire). When all have come as
 *      far it is through: all that was before the barrier in each of them happens before all that is behind it.
 *   2. Marks only grow, and no member is more than one barrier before another one: who is through may be at the next
 *      barrier already, so "as far" is a difference that is not negative.
 *   3. Tasks. The first deferred task of a region opens the team's door (task_team.c); before that its maker stores
 *      which barrier is the next (barrier.tasks_from, which the release of team.tasked publishes; makers that do so
 *      at the same time are between the same two barriers, and store the same). From that barrier on members run
 *      tasks while they wait, and are through when one of them has found all at the barrier and all tasks complete,
 *      and has said so in barrier.ended (cas_acqrel, pairs with load_acquire): tasks that a member makes once it is
 *      through are not waited for by those that still look. Who finds all marks made and the door shut, or opened
 *      behind this barrier, has seen all that any member did before it, so there is no task that it should wait for.
 *   4. Sleep. A waiter sleeps on the eventcount (barrier.c). A mark is made without a fence; so before its last look the
 *      sleeper has all threads execute one (barrier.h): either it sees the mark, or who made the mark sees, in the
 *      look that follows, that somebody sleeps. Everybody who is through rings when it sees that.
 *   5. Cancellation. A region's: who waits looks at it, and marks differ afterwards; the master makes them alike
 *      behind the join. A construct's that has no share is recorded with the number of the barrier that ends it
 *      (cancel.c), so that nothing need be cleared in the barrier.
 *
 * The join. A worker answers on the line that its mail came on (mail.finished_region), with the region's number (store_release),
 * which the struct of a team never has again; the master looks at all answers (load_acquire). The same line goes back
 * and forth. The master sleeps on team.unfinished as in larger teams, but that the number in it stays 0: bit 0, a
 * fence of all threads, a last look. A worker looks at bit 0 behind its mark. Its look may come when the team is in
 * its next region, or in another life: the word stays where it is, and a master that is woken for nothing looks
 * again.
 *
 * Eight: each mark takes the line from all who look at it. Beyond that a counter is no slower.
 *
 * Called by barrier.c and team.c. Covered by test/unit/{few,team,team_sleep,pause,pause_sleep,cancel,task}.c and
 * test/conformance/{barrier,cancel,task}.
 */
#include "core/sync/barrier_flags.h"
#include "core/sync/eventcount.h"

#include "core/cpu/wait.h"
#include "core/trace/trace.h"
#include "host/os.h"

static inline bool reached(uint32_t mark, uint32_t episode)
{
    return (int32_t)(mark - episode) >= 0;
}

void ghcomp_barrier_flags_fit(struct ghcomp_team *team, uint32_t before)
{
    uint32_t episode = ghcomp_load_relaxed(&team->barrier.flags[0]);
    for (uint32_t i = before; i < team->size && i < GHCOMP_BARRIER_FLAGS; i++)
        ghcomp_store_relaxed(&team->barrier.flags[i], episode);
    team->by_flags = team->size > 1 && team->size <= GHCOMP_BARRIER_FLAGS && !team->by_tree;
}

void ghcomp_barrier_flags_reset(struct ghcomp_team *team)
{
    uint32_t last = ghcomp_load_relaxed(&team->barrier.flags[0]);
    for (uint32_t i = 1; i < team->size; i++) {
        uint32_t mark = ghcomp_load_relaxed(&team->barrier.flags[i]);
        last = reached(mark, last) ? mark : last;
    }
    for (uint32_t i = 0; i < team->size; i++)
        ghcomp_store_relaxed(&team->barrier.flags[i], last);
}

/* --- the barrier -------------------------------------------------------------------------------------------------- */

static inline bool waits_for_tasks(struct ghcomp_team *team, uint32_t episode)
{
    return ghcomp_unlikely(ghcomp_task_team_used(team)) &&
           reached(episode, ghcomp_load_relaxed(&team->barrier.tasks_from));
}

/* Whether all have arrived, those before *from aside, which says how far the look came. */
static inline bool complete(struct ghcomp_team *team, uint32_t episode, uint32_t *from)
{
    for (; *from < team->size; ++*from)
        if (!reached(ghcomp_load_acquire(&team->barrier.flags[*from]), episode))
            return false;
    return true;
}

/* The door is looked at behind the marks. */
static inline bool through(struct ghcomp_team *team, uint32_t episode, uint32_t *from)
{
    return complete(team, episode, from) &&
           (!waits_for_tasks(team, episode) || reached(ghcomp_load_acquire(&team->barrier.ended), episode));
}

/* Step 3, one look. True: something was done, look again without waiting. */
static bool run_or_end(struct ghcomp_member *self, uint32_t episode, uint32_t *from, struct ghcomp_wait_pause *pause)
{
    struct ghcomp_team *team = self->team;
    if (ghcomp_barrier_run_task(self, pause))
        return true;
    if (!complete(team, episode, from) || !ghcomp_task_team_quiescent(team))
        return false;
    uint32_t ended = ghcomp_load_acquire(&team->barrier.ended);
    if (!reached(ended, episode))
        ghcomp_cas_acqrel(&team->barrier.ended, &ended, episode);
    return true;
}

/* Step 1. */
static inline uint32_t arrive(struct ghcomp_member *self, struct ghcomp_wait_pause *pause)
{
    _Atomic uint32_t *mark = &self->team->barrier.flags[self->tid];
    uint32_t episode = ghcomp_load_relaxed(mark);
    if (pause != NULL && pause->arrived)
        return episode;
    ghcomp_store_release(mark, ++episode);
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
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_TEAM);
    struct ghcomp_eventcount_wait sleep = {0};
    while (eventcount = ghcomp_load_acquire(&team->barrier.eventcount), !through(team, episode, &from)) {
        if (cancellable && ghcomp_barrier_region_cancelled(team))
            return GHCOMP_BARRIER_CANCELLED;
        if (waits_for_tasks(team, episode) && run_or_end(self, episode, &from, pause)) {
            if (pause != NULL && pause->task != NULL)
                return GHCOMP_BARRIER_PAUSED;
            spin = ghcomp_spin_start(GHCOMP_WAIT_TEAM);
            continue;
        }
        if (!ghcomp_spin_again(&spin) && ghcomp_eventcount_sleep(team, eventcount, &sleep))
            ghcomp_task_team_woken(team);
    }
    notify_sleepers(team, eventcount);
    return ghcomp_barrier_left(team, cancellable);
}

bool ghcomp_barrier_flags_arrive(struct ghcomp_member *self, struct ghcomp_wait_pause *pause, uint32_t polls)
{
    struct ghcomp_team *team = self->team;
    uint32_t episode = arrive(self, pause), from = 0;
    for (;; polls--) {
        uint32_t eventcount = ghcomp_load_acquire(&team->barrier.eventcount);
        if (through(team, episode, &from)) {
            notify_sleepers(team, eventcount);
            return true;
        }
        if (polls == 0)
            return false;
        ghcomp_cpu_pause();
    }
}

/* --- the join ----------------------------------------------------------------------------------------------------- */

void ghcomp_barrier_flags_wake_master(struct ghcomp_team *team)
{
    if (ghcomp_and_acqrel(&team->unfinished, ~1u) & 1u)
        ghcomp_os_wake(&team->unfinished, 1);
}

void ghcomp_barrier_flags_join(struct ghcomp_team *team)
{
    enum { UNFENCED_NS = 1000000 };
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_TEAM);
    uint32_t from = 1, word = 0;
    bool fenced = false, announced = false;
    while (!ghcomp_barrier_flags_all_finished(team, &from) && !ghcomp_task_team_used(team)) {
        if (ghcomp_spin_again(&spin))
            continue;
        if (!(word & 1u)) {
            word = ghcomp_load_relaxed(&team->unfinished);
            ghcomp_cas_seqcst(&team->unfinished, &word, word | 1u);
            word |= 1u;
            fenced = ghcomp_os_fence_all();
            announced = true;
        } else {
            if (ghcomp_likely(fenced))
                ghcomp_wait_park(&team->unfinished, word);
            else
                ghcomp_wait_park_for(&team->unfinished, word, UNFENCED_NS);
            word = 0;
        }
    }
    if (announced)
        ghcomp_and_relaxed(&team->unfinished, ~1u);
}
