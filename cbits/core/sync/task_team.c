/* The tasks of a team as a whole: detecting that all are complete, and running them at the end of a region.
 *
 *   door                     transition                                   by
 *   shut -> open             first deferred task of the region            its maker (1)
 *   helpers + 1              while open, same region                      a worker enters (2)
 *   helpers - 1              shut, or before a sleep                      a helper leaves (4)
 *   open -> shut             no worker unfinished, all tasks complete     the master (3)
 *
 *   waking                   transition                                   by
 *   0 -> 1                   a push finds a sleeper; unripe tasks         the pusher; the watch
 *   1 -> 0                   found a task, left the wait, sleeps          the searcher
 *
 * All complete. Each member counts the deferred tasks that it made (`created`) and those that it completed; its own
 * thread alone writes both. Threads outside the team count in team.outside; free agents on their seats, which are
 * members here (seats.h). When no implicit task of the team runs, that is, all are in a barrier or at the region's end,
 * equal sums of all counts, *completed read first, then created*, are conclusive. A completion that was seen
 * (load_acquire, pairs with the store_release after the task) makes visible that all tasks before it were made, among
 * them the task itself and those that it made. So if as many tasks were seen made as were seen completed, these are the
 * same tasks, and none of them made another.
 *
 * The end of a region has no barrier: a worker that returns from the region's function subtracts itself from
 * team.unfinished and waits for its next mail (team.c). It must be able to return for tasks made later, so the team has
 * a door:
 *
 *   1. The first deferred task of a region opens it (cas_seqcst): door = region number, open. The opener rouses the
 *      workers that sleep on their mail, and members that sleep in a reduction (reduction_tree.c). A worker checks the
 *      door of its last region while it waits for mail (mailbox.c).
 *   2. A worker enters by a cas that adds one to the helpers inside, and fails when the region's number differs or the
 *      door is shut. Inside it is a member of the team as before: it runs tasks of any descent, as in a barrier. A
 *      worker that finishes its part with the door open enters before it subtracts itself.
 *   3. The master, at its end, runs tasks too, until no worker is unfinished and all tasks are complete. Then it shuts
 *      the door (and_acqrel), notifies, and waits until no helper is inside: from then on it owns the team. A helper is
 *      the team's member as long as it is inside, and idle outside (ghcomp_self_idles).
 *   4. A helper that finds the door shut leaves (sub_acqrel, pairs with the master's load_acquire). It leaves before it
 *      sleeps on the eventcount as well, and enters again when woken: the master never waits for a sleeper.
 *
 * So workers read the door and the eventcount of a team whose region may have ended, and which may have been reused:
 * the struct of a team is never freed (team.c), and a region's number never repeats in the same struct.
 *
 * A helper that finds the end reached while others sleep notifies, so that the master finds it, too: once after each
 * task that it has run, and then it waits as before. One notification is enough. The master loaded the eventcount
 * before it, and does not sleep or is woken; or after it, and then its check sees all that the helper saw. Other
 * helpers are not concerned. If the master's own part makes further tasks, a member that completes one of them checks
 * again. A helper that notified repeatedly until the master shuts the door would clear, each time, the bit that it has
 * set itself before sleeping; and it could keep the CPU that the master needs, because the yield of a real-time thread
 * lets no lower one run.
 *
 * Waking for a task. A push checks for sleepers on the eventcount and wakes one; `waking` limits this to one at a time.
 * The woken thread *searches*: it has `waking` until it takes a task, finds one that the scheduling constraint forbids
 * it, leaves its wait, or sleeps again. Then it gives `waking` back, and if there are more tasks it wakes the next
 * thread. The push has only the light fence between the store of the task and the check for the waiters bit; what a
 * sleeper does about it is in eventcount.c. A push that sees the bit takes `waking` (xchg_acqrel), and the searcher
 * gives it back by such an exchange before it searches for more tasks. The later of the two exchanges sees what came
 * before the other: either the searcher finds the task, or the push finds `waking` free and wakes a thread. The pusher
 * cannot defer the check to its next pop: the program may spin on an effect of the task. A push that finds the bit
 * without a sleeper clears it by a notification; otherwise each later push would make a system call.
 *
 * Unripe tasks (task_take.c) keep exactly one thread awake, which takes them when they become ripe. A member that would
 * sleep beside unripe tasks takes `waking` and stays awake, as the team's *watch*; while another one has `waking` it
 * sleeps. The watch is a searcher as above: it wakes the next thread when it has taken a task. When its time for
 * spinning is over it naps, and then searches twice, so far apart that a task becomes ripe meanwhile. With one search
 * in a nap's time it would find every batch unripe that its maker alone runs in less time.
 *
 * Called by task.c, task_take.c, task_wait.c, the barriers, team.c, worker.c, target.c, thread.c, haskell/construct.c.
 * Covered by test/unit/{task,task_narrow}{,_sleep}.c, test/conformance/task, test/stress/tasks.sh. Explored
 * (test/explore/fork_join.c): the region ends after its tasks, and a task that its maker waits for is run; two or three
 * members, within its bounds.
 */
#include "core/sync/task_team.h"

#include "core/observe/fast_self.h"
#include "core/sync/barrier_flags.h"
#include "core/sync/eventcount.h"
#include "core/sync/mailbox.h"
#include "core/sync/reduction_tree.h"
#include "core/sync/seats.h"
#include "core/task/deque.h"
#include "core/task/task.h"

/* --- all complete ------------------------------------------------------------------------------------------------- */

bool ghcomp_task_team_quiescent(struct ghcomp_team *team)
{
    uint32_t completed = ghcomp_load_acquire(&team->outside) + ghcomp_seats_completed(team), created = 0;
    for (uint32_t i = 0; i < team->size; i++)
        completed += ghcomp_load_acquire(&team->members[i]->completed);
    for (uint32_t i = 0; i < team->size; i++)
        created += ghcomp_load_relaxed(&team->members[i]->created);
    created += ghcomp_seats_created(team); /* the first agent may have come since the line that reads
                                              ghcomp_seats_completed */
    /* Negative when, in the child of fork(), an event was fulfilled whose task had been written off. */
    return (int32_t)(created - completed) <= 0;
}

static bool over(struct ghcomp_team *team)
{
    uint32_t from = 1;
    bool left = team->by_flags ? ghcomp_barrier_flags_all_finished(team, &from)
                               : ghcomp_load_acquire(&team->unfinished) <= 1;
    return left && ghcomp_task_team_quiescent(team);
}

/* --- waking ------------------------------------------------------------------------------------------------------- */

void ghcomp_task_team_wake_slow(struct ghcomp_team *team)
{
    if (ghcomp_xchg_acqrel(&team->waking, 1u) != 0) /* always a change: see "Waking for a task" */
        return;
    /* A thread that has set the bit may have searched already and be about to sleep: its sleep must fail. The bit stays
       for the others. */
    ghcomp_eventcount_advance(team, 1u);
    if (ghcomp_os_wake(&team->barrier.eventcount, 1) != 0)
        return; /* the woken thread gives `waking` back */
    ghcomp_task_team_give_waking(team);
    ghcomp_eventcount_notify(team);
}

bool ghcomp_task_team_more(struct ghcomp_team *team)
{
    if (ghcomp_task_queue_length(team) != 0)
        return true; /* a release that goes on ends with a wake-up */
    for (uint32_t i = 0; i < team->size; i++) {
        struct ghcomp_deque *deque = ghcomp_load_acquire(&team->members[i]->deque);
        if (deque != NULL && !ghcomp_deque_seems_empty(deque))
            return true;
    }
    return false;
}

void ghcomp_task_team_search_end_slow(struct ghcomp_member *self)
{
    struct ghcomp_team *team = self->team;
    self->searching = false;
    ghcomp_task_team_give_waking(team);
    if (!(ghcomp_load_relaxed(&team->barrier.eventcount) & 1u))
        return; /* no sleeper can have been missed */
    if (ghcomp_task_team_more(team))
        ghcomp_task_team_wake_slow(team);
}

enum { NAP_NS = 50000, LOOKS_APART_TICKS = 6 * GHCOMP_TICKS_PER_US };

bool ghcomp_task_team_watch(struct ghcomp_member *self, struct ghcomp_team *team)
{
    self->unripe = false; /* the next search sets it again */
    if (self->searching) {
        self->look_at = self->look_pause = 0;
        self->napped = !self->napped;
        if (self->napped)
            ghcomp_os_nap(NAP_NS);
        else
            for (uint64_t begin = ghcomp_cpu_ticks(); ghcomp_cpu_ticks() - begin < LOOKS_APART_TICKS;)
                ghcomp_cpu_pause();
        return true;
    }
    self->searching = ghcomp_load_relaxed(&team->waking) == 0 && ghcomp_xchg_acqrel(&team->waking, 1u) == 0;
    return self->searching;
}

/* --- the door ----------------------------------------------------------------------------------------------------- */

void ghcomp_task_team_open(struct ghcomp_member *self)
{
    struct ghcomp_team *team = self->team;
    ghcomp_barrier_flags_tasks_begin(self);
    ghcomp_xchg_seqcst(&team->tasked, true);
    uint64_t door = ghcomp_load_relaxed(&team->door);
    do {
        if (door >> 32 == team->region)
            return;
    } while (!ghcomp_cas_seqcst(&team->door, &door, (uint64_t)team->region << 32 | GHCOMP_DOOR_OPEN));
    for (uint32_t tid = 1; tid < team->size; tid++)
        ghcomp_mailbox_rouse(team->members[tid]->thread);
    ghcomp_reduction_tree_rouse(team);
    /* The master may sleep in the join of a region without tasks, where it waits for the workers only. */
    if (ghcomp_and_acqrel(&team->unfinished, ~1u) & 1u)
        ghcomp_os_wake(&team->unfinished, 1);
}

bool ghcomp_task_team_enter(struct ghcomp_team *team, uint32_t region)
{
    uint64_t door = ghcomp_load_acquire(&team->door);
    while (door >> 31 == ((uint64_t)region << 1 | 1))
        if (ghcomp_cas_acqrel(&team->door, &door, door + 1))
            return true;
    return false;
}

/* The worker is no longer a member: the region may end. */
static inline void leave(struct ghcomp_member *self, struct ghcomp_team *team)
{
    ghcomp_self_idles(self->thread);
    ghcomp_sub_acqrel(&team->door, 1u);
}

void ghcomp_task_team_help(struct ghcomp_member *self, struct ghcomp_team *team, uint32_t region)
{
    ghcomp_self_becomes(self);
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_TEAM);
    struct ghcomp_eventcount_wait sleep = {0};
    bool notified = false; /* the helper has notified since its last task */
    for (;;) {
        uint32_t eventcount = ghcomp_load_acquire(&team->barrier.eventcount);
        struct ghcomp_task *task = ghcomp_task_take_any(self);
        if (ghcomp_task_run_if_any(self, task, true, &spin)) {
            sleep.announced = notified = false;
            continue;
        }
        if (!ghcomp_task_team_wants(team, region))
            break;
        if ((eventcount & 1u) && !notified && over(team)) {
            ghcomp_eventcount_notify(team);
            notified = true;
            sleep.announced = false;
            spin = ghcomp_spin_start(GHCOMP_WAIT_TEAM); /* the master is about to shut the door */
            continue;
        }
        if (ghcomp_eventcount_spin_again(&spin, &sleep))
            continue;
        bool watches = self->unripe && self->searching;
        if (!watches && !ghcomp_eventcount_prepare(self, team, eventcount, &sleep))
            continue;
        leave(self, team);
        if (!watches)
            ghcomp_eventcount_sleep(self, team, eventcount, &sleep);
        else if (ghcomp_task_team_watch(self, team))
            sleep.announced = false;
        if (!ghcomp_task_team_enter(team, region)) {
            self->searching = self->unripe = false; /* the master gives `waking` back */
            return;
        }
        ghcomp_self_becomes(self);
        ghcomp_task_team_woken(self, team);
    }
    ghcomp_task_team_wait_end(self);
    leave(self, team);
}

void ghcomp_task_team_drain(struct ghcomp_member *self)
{
    struct ghcomp_team *team = self->team;
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_TEAM);
    struct ghcomp_eventcount_wait sleep = {0};
    for (;;) {
        uint32_t eventcount = ghcomp_load_acquire(&team->barrier.eventcount);
        struct ghcomp_task *task = ghcomp_task_take_any(self);
        if (ghcomp_task_run_if_any(self, task, true, &spin)) {
            sleep.announced = false;
            continue;
        }
        if (over(team))
            break;
        if (!ghcomp_eventcount_spin_again(&spin, &sleep) && ghcomp_eventcount_sleep(self, team, eventcount, &sleep))
            ghcomp_task_team_woken(self, team);
    }
    ghcomp_task_team_wait_end(self);
}

void ghcomp_task_team_join(struct ghcomp_member *self)
{
    struct ghcomp_team *team = self->team;
    ghcomp_task_team_drain(self);
    ghcomp_store_relaxed(&team->outside, 0u);
    ghcomp_seats_reset(team);
    if (team->size == 1)
        return;
    ghcomp_store_relaxed(&team->tasked, false);
    ghcomp_and_acqrel(&team->door, ~GHCOMP_DOOR_OPEN);
    ghcomp_eventcount_notify(team);
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_POST);
    while ((ghcomp_load_acquire(&team->door) & (GHCOMP_DOOR_OPEN - 1)) != 0)
        ghcomp_spin_again(&spin);
    ghcomp_task_team_give_waking(team);
}

void ghcomp_task_team_fork_child(struct ghcomp_team *team)
{
    ghcomp_store_relaxed(&team->door, (uint64_t)team->region << 32);
    ghcomp_store_relaxed(&team->tasked, false);
    ghcomp_store_relaxed(&team->outside, 0u);
    ghcomp_seats_fork_child(team);
    for (uint32_t i = 0; i < team->size; i++) {
        struct ghcomp_member *member = team->members[i];
        struct ghcomp_deque *deque = ghcomp_load_relaxed(&member->deque);
        ghcomp_store_relaxed(&member->created, 0u);
        ghcomp_store_relaxed(&member->completed, 0u);
        member->overflow = NULL;
        if (deque != NULL)
            ghcomp_store_relaxed(&deque->top, ghcomp_load_relaxed(&deque->bottom));
    }
    ghcomp_task_queue_fork_child(&team->queue);
    ghcomp_task_queue_free(&team->queue);
}
