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
 * A member runs ready tasks before it waits. A task left in its deque might be one that another member's taskwait waits
 * for and cannot take, since a taskwait takes only descendants, from the end of a deque. While it waits its deque stays
 * empty: only its own thread puts tasks there.
 *
 * Cancellation. A member of a cancelled region goes to the region's end and gives nothing. So where regions can be
 * cancelled each wait ends when the region is, and the variables' values are unspecified (OpenMP 5.2, 11.2). The member
 * that cancels wakes no sleepers here, so each sleep has a limit. A giver that leaves takes its offer back (cas_acqrel
 * from OFFERED to EMPTY), unless its taker has begun: a taker first exchanges OFFERED for TAKING (cas_acqrel), and then
 * the giver waits for step 3.
 *
 * Called by abi/kmp/kmp_reduce.c. Covered by test/unit/reduction_tree.c and test/clang/reductions*.c.
 */
#include "core/sync/reduction_tree.h"

#include "core/cpu/wait.h"
#include "core/sync/barrier_wait.h"
#include "core/sync/eventcount.h"
#include "core/task/task.h"
#include "core/tsan/races.h"

enum { EMPTY = 0, OFFERED = 2, TAKING = 4 };

static void change(_Atomic uint32_t *word, uint32_t value)
{
    if (ghcomp_xchg_acqrel(word, value) & 1u)
        ghcomp_os_wake(word, 1);
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

/* Waits until the word, bit 0 aside, differs from the given value. False: the region is cancelled. */
static bool wait_unless_cancelled(struct ghcomp_team *team, _Atomic uint32_t *word, uint32_t seen)
{
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_TEAM);
    uint32_t value, limit_ns = 0;
    while (((value = ghcomp_load_acquire(word)) & ~1u) == seen) {
        if (ghcomp_barrier_region_cancelled(team))
            return false;
        if (ghcomp_spin_again(&spin))
            continue;
        if (value == seen && !ghcomp_cas_acqrel(word, &value, seen | 1u))
            continue;
        limit_ns = ghcomp_eventcount_longer(limit_ns);
        ghcomp_wait_park_for(word, seen | 1u, limit_ns);
    }
    return true;
}

static bool wait_while(struct ghcomp_team *team, _Atomic uint32_t *word, uint32_t seen)
{
    if (ghcomp_unlikely(ghcomp_global.cancel))
        return wait_unless_cancelled(team, word, seen);
    bool slept;
    ghcomp_wait_change(word, seen, GHCOMP_WAIT_TEAM, &slept);
    return true;
}

static void take(struct ghcomp_team *team, struct ghcomp_reduction_slot *from, void *values,
                 ghcomp_reduction_fn *combine)
{
    uint32_t observers = ghcomp_observers_now();
    if (!wait_while(team, &from->word, EMPTY) ||
        (ghcomp_unlikely(ghcomp_global.cancel) && !change_offered(&from->word, TAKING)))
        return;
    ghcomp_races_acquire(observers, &from->word);
    combine(values, from->values);
    ghcomp_races_release(observers, &from->values);
    change(&from->word, EMPTY);
}

static void give(struct ghcomp_team *team, struct ghcomp_reduction_slot *own, void *values)
{
    uint32_t observers = ghcomp_observers_now();
    own->values = values;
    ghcomp_races_release(observers, &own->word);
    change(&own->word, OFFERED);
    if (!wait_while(team, &own->word, OFFERED) && change_offered(&own->word, EMPTY))
        return;
    if (ghcomp_unlikely(ghcomp_global.cancel)) {
        bool slept;
        ghcomp_wait_change(&own->word, TAKING, GHCOMP_WAIT_TEAM, &slept);
    }
    ghcomp_races_acquire(observers, &own->values);
}

static void run_tasks(struct ghcomp_member *self)
{
    struct ghcomp_task *task;
    while (ghcomp_unlikely(ghcomp_task_team_used(self->team)) && (task = ghcomp_task_take_any(self)) != NULL)
        ghcomp_task_run(self, task);
}

bool ghcomp_reduction_tree(struct ghcomp_member *self, void *values, ghcomp_reduction_fn *combine)
{
    struct ghcomp_team *team = self->team;
    uint32_t tid = self->tid, size = team->size;
    run_tasks(self);
    for (uint32_t step = 1; step < size; step *= 2) {
        if (tid & step) {
            give(team, &self->reduction, values);
            return false;
        }
        if (size - tid > step)
            take(team, &team->members[tid + step]->reduction, values, combine);
    }
    return true;
}
