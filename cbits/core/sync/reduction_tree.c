/* A binomial tree over the members' numbers. In step s (1, 2, 4, ...) member i, a multiple of 2s, takes the values of
 * member i + s, if there is such a member, which is thereby done. So a member takes the values of members with greater
 * numbers, each of which has those of a run of members behind it: the order and the grouping are the same each time.
 *
 * Giver and taker of a pair hand over by the giver's word, which is EMPTY or OFFERED:
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
 * A member runs ready tasks before it waits. One that it left in its deque might be what another member waits for,
 * which could not take it, since a taskwait takes only descendants from the end of a deque. While it waits nothing
 * comes into its deque: only its own thread puts tasks there.
 *
 * The values must come from all members, so a region that may be cancelled has no such reduction.
 *
 * Called by abi/kmp/kmp_reduce.c. Covered by test/unit/reduction_tree.c and test/clang/reductions*.c.
 */
#include "core/sync/reduction_tree.h"

#include "core/cpu/wait.h"
#include "core/sync/task_team.h"
#include "core/task/task.h"
#include "core/tsan/races.h"

enum { EMPTY = 0, OFFERED = 2 };

static void change(_Atomic uint32_t *word, uint32_t value)
{
    if (ghcomp_xchg_acqrel(word, value) & 1u)
        ghcomp_os_wake(word, 1);
}

static void take(struct ghcomp_reduction_slot *from, void *values, ghcomp_reduction_fn *combine)
{
    uint32_t observers = ghcomp_observers_now();
    bool slept;
    ghcomp_wait_change(&from->word, EMPTY, GHCOMP_WAIT_TEAM, &slept);
    ghcomp_races_acquire(observers, &from->word);
    combine(values, from->values);
    ghcomp_races_release(observers, &from->values);
    change(&from->word, EMPTY);
}

static void give(struct ghcomp_reduction_slot *own, void *values)
{
    uint32_t observers = ghcomp_observers_now();
    bool slept;
    own->values = values;
    ghcomp_races_release(observers, &own->word);
    change(&own->word, OFFERED);
    ghcomp_wait_change(&own->word, OFFERED, GHCOMP_WAIT_TEAM, &slept);
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
    const struct ghcomp_team *team = self->team;
    uint32_t tid = self->tid, size = team->size;
    run_tasks(self);
    for (uint32_t step = 1; step < size; step *= 2) {
        if (tid & step) {
            give(&self->reduction, values);
            return false;
        }
        if (size - tid > step)
            take(&team->members[tid + step]->reduction, values, combine);
    }
    return true;
}
