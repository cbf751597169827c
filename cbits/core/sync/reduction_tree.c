/* A binomial tree over the members' numbers. In step s (1, 2, 4, ...) each member i that is a multiple of 2s takes the
 * values of member i + s, if that exists; member i + s is then done. The values that a member takes are those of a run
 * of members directly behind its own run, so order and grouping are always the same.
 *
 * Giver and taker of a pair hand over by the giver's word, which is EMPTY, OFFERED or, where regions can be cancelled,
 * TAKING:
 *
 *   1. The giver writes the address of its values, then exchanges the word for OFFERED (xchg_acqrel).
 *   2. The taker waits for the word to change (load_acquire, pairs with 1), so it sees the address and all values, and
 *      combines them.
 *   3. The taker exchanges the word for EMPTY (xchg_acqrel): it will not read the values again.
 *   4. The giver waits for that (load_acquire, pairs with 3). Then its values may change or vanish with its stack, and
 *      the word is as it was before, for the next reduction.
 *
 * Each word has one waiter at most: the taker while it is EMPTY, the giver while it is OFFERED. Bit 0 says that it
 * sleeps (wait.h); the exchange that finds the bit owes a wake-up. A late wake-up finds no sleeper, or the other side
 * of the pair, which checks again and sleeps on.
 *
 * A taker need not know which reduction it is in. The pairs of a team are the same in each, and a giver does not offer
 * again before 4. A slot is EMPTY outside of reductions, so a member that changes its team takes nothing with it: the
 * new team's region begins after 4 in the giver, which happens after 3.
 *
 * Tasks. A member that waits runs ready tasks, as in a barrier: others may wait for them. Once the team has tasks,
 * waits sleep on the team's eventcount, and a thread that changes a word notifies that. It looks for tasks after the
 * change (xchg_acqrel, load_seqcst), and a waiter looks at the word after it has seen tasks (load_seqcst,
 * load_acquire), so one of the two sees the other. The maker of the team's first task wakes the members that sleep on
 * their words: it sets team.tasked and then looks at the words (xchg_seqcst, load_seqcst); a member sets bit 0 of its
 * word and then looks for tasks (cas_seqcst, load_seqcst). It clears the bit, so that a member that does not sleep yet
 * will not (and_acqrel).
 *
 * Cancellation. A member of a cancelled region that leaves it (cancel.c) gives nothing. So where regions can be
 * cancelled each wait ends when the other member has left, and the variables' values are unspecified then (OpenMP 5.2,
 * 11.2). A leaver wakes no sleepers on the words, so their sleeps have a limit. A giver that gives up takes its offer
 * back (cas_acqrel from OFFERED to EMPTY), unless its taker has begun: a taker first exchanges OFFERED for TAKING
 * (cas_acqrel), and then the giver waits for step 3.
 *
 * Called by abi/kmp/kmp_reduce.c, task_team.c. Covered by test/unit/reduction_tree.c and test/clang/reductions*.c.
 */
#include "core/sync/reduction_tree.h"

#include "core/cpu/wait.h"
#include "core/sync/barrier_wait.h"
#include "core/sync/eventcount.h"
#include "core/task/task.h"
#include "core/tsan/races.h"

enum { EMPTY = 0, OFFERED = 2, TAKING = 4 };

static void change(struct ghcomp_team *team, _Atomic uint32_t *word, uint32_t value)
{
    if (ghcomp_xchg_acqrel(word, value) & 1u)
        ghcomp_os_wake(word, 1);
    if (ghcomp_unlikely(ghcomp_task_team_used(team)))
        ghcomp_eventcount_notify(team);
}

/* Exchanges OFFERED for another value, and keeps bit 0. False: the word is something else. */
static bool change_offered(_Atomic uint32_t *word, uint32_t value)
{
    uint32_t seen = ghcomp_load_acquire(word);
    while ((seen & ~1u) == OFFERED)
        if (ghcomp_cas_acqrel(word, &seen, value | (seen & 1u)))
            return true;
    return false;
}

/* Runs a ready task, or sleeps until there may be one or the word may have changed. Once the team has tasks. */
static void run_or_sleep(struct ghcomp_member *self, uint32_t eventcount, struct ghcomp_spin *spin,
                         struct ghcomp_eventcount_wait *sleep)
{
    struct ghcomp_task *task = ghcomp_task_take_any(self);
    if (ghcomp_task_run_if_any(self, task, false, spin))
        sleep->announced = false;
    else if (!ghcomp_eventcount_spin_again(spin, sleep) &&
             ghcomp_eventcount_sleep(self, self->team, eventcount, sleep))
        ghcomp_task_team_woken(self, self->team);
}

/* Sleeps on the word; with a limit where regions can be cancelled, since a cancellation does not wake the member. */
static void sleep_on(struct ghcomp_team *team, _Atomic uint32_t *word, uint32_t seen, uint32_t *limit_ns)
{
    uint32_t value = seen;
    if ((!ghcomp_cas_seqcst(word, &value, seen | 1u) && value != (seen | 1u)) || ghcomp_task_team_used(team))
        return;
    if (ghcomp_likely(!ghcomp_global.cancel)) {
        ghcomp_wait_park(word, seen | 1u);
        return;
    }
    *limit_ns = ghcomp_eventcount_longer(*limit_ns);
    ghcomp_wait_park_for(word, seen | 1u, *limit_ns);
}

void ghcomp_reduction_tree_rouse(struct ghcomp_team *team)
{
    for (uint32_t i = 0; i < team->size; i++) {
        _Atomic uint32_t *word = &team->members[i]->reduction.word;
        if (ghcomp_unlikely(ghcomp_load_seqcst(word) & 1u) && (ghcomp_and_acqrel(word, ~1u) & 1u))
            ghcomp_os_wake(word, 1);
    }
}

/* Waits until the word, bit 0 aside, differs from the given value. False: the region is cancelled, and the partner has
   left it. */
static bool wait_while(struct ghcomp_member *self, _Atomic uint32_t *word, uint32_t seen, uint32_t partner)
{
    struct ghcomp_team *team = self->team;
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_TEAM);
    struct ghcomp_eventcount_wait sleep = {0};
    uint32_t limit_ns = 0;
    for (;;) {
        uint32_t eventcount = ghcomp_load_acquire(&team->barrier.eventcount);
        bool waits = (ghcomp_load_acquire(word) & ~1u) == seen;
        if (!waits || (ghcomp_unlikely(ghcomp_global.cancel) && ghcomp_barrier_has_left(team, partner))) {
            ghcomp_task_team_wait_end(self);
            return !waits;
        }
        if (ghcomp_unlikely(ghcomp_task_team_used(team)))
            run_or_sleep(self, eventcount, &spin, &sleep);
        else if (!ghcomp_spin_again(&spin))
            sleep_on(team, word, seen, &limit_ns);
    }
}

static void take(struct ghcomp_member *self, uint32_t partner, void *values, ghcomp_reduction_fn *combine)
{
    struct ghcomp_reduction_slot *from = &self->team->members[partner]->reduction;
    uint32_t observers = ghcomp_observers_now();
    if (!wait_while(self, &from->word, EMPTY, partner) ||
        (ghcomp_unlikely(ghcomp_global.cancel) && !change_offered(&from->word, TAKING)))
        return;
    ghcomp_races_acquire(observers, &from->word);
    combine(values, from->values);
    ghcomp_races_release(observers, &from->values);
    change(self->team, &from->word, EMPTY);
}

static void give(struct ghcomp_member *self, uint32_t partner, void *values)
{
    struct ghcomp_reduction_slot *own = &self->reduction;
    uint32_t observers = ghcomp_observers_now();
    own->values = values;
    ghcomp_races_release(observers, &own->word);
    change(self->team, &own->word, OFFERED);
    if (!wait_while(self, &own->word, OFFERED, partner) && change_offered(&own->word, EMPTY))
        return;
    if (ghcomp_unlikely(ghcomp_global.cancel)) {
        bool slept;
        ghcomp_wait_change(&own->word, TAKING, GHCOMP_WAIT_TEAM, &slept);
    }
    ghcomp_races_acquire(observers, &own->values);
}

bool ghcomp_reduction_tree(struct ghcomp_member *self, void *values, ghcomp_reduction_fn *combine)
{
    uint32_t tid = self->tid, size = self->team->size;
    for (uint32_t step = 1; step < size; step *= 2) {
        if (tid & step) {
            give(self, tid - step, values);
            return false;
        }
        if (size - tid > step)
            take(self, tid + step, values, combine);
    }
    return true;
}
