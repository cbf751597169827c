/* The fork of a large team, by a tree. Filling every mailbox would cost the master a line transfer for each worker, and
 * a wake-up of some microseconds for each sleeper. Here it fills two.
 *
 *   1. The workers of a region are a range of member numbers. The master cuts it into halves and fills the mailbox of
 *      each half's first worker (ghcomp_mailbox_post), which finds the rest of its half in `until`. A sleeper is woken
 *      at once.
 *   2. A worker gives the upper half of its range to that half's first worker, then the upper half of what is left,
 *      until nothing is left: log2(n) times at most. All that are awake take part, and the farthest have their mail
 *      after log2(n) steps. A worker does this before its own part of the region. The region's data is in its own
 *      mailbox; it sees the team as the master left it, by the chain of exchanges and acquiring loads between the two.
 *
 * Ownership of mailboxes (pool.c): between join and fork they are the master's. A worker that passes a region on writes
 * on the master's behalf; the region cannot end, and the mailbox become the master's again, before the receiver has
 * left the region.
 *
 * This needs every worker that passes a region on to have a CPU. In an oversubscribed process a worker may wait long
 * for its time slice and delay those below it. There the master posts to all, and sleepers are woken two at a time as
 * in worker.c.
 *
 * Called by team.c, where team.by_tree. Covered by test/unit/{fork_tree,barrier_policy,team_tree,team_tree_sleep}.c.
 */
#include "core/team/fork_tree.h"

#include "core/cpu/cpu_account.h"
#include "core/cpu/wait.h"
#include "core/sync/mailbox.h"
#include "core/team/worker.h"
#include "core/team/worker_placement.h"

/* Starts member `first` and leaves the members up to `until` to it. */
static void start(const struct ghcomp_fork *fork, uint32_t first, uint32_t until)
{
    struct ghcomp_thread *worker = ghcomp_worker_of(fork->team->members[first]);
    if (ghcomp_mailbox_send(worker, fork, first, until))
        ghcomp_mailbox_wake(worker);
}

/* Step 1. */
static void start_halves(const struct ghcomp_fork *fork, uint32_t size)
{
    uint32_t middle = 1 + size / 2;
    start(fork, 1, middle);
    if (middle < size)
        start(fork, middle, size);
}

static void start_all(struct ghcomp_team *team, const struct ghcomp_fork *fork)
{
    uint32_t sleepers = 0;
    ghcomp_store_relaxed(&team->wake_next, UINT32_MAX / 2);
    for (uint32_t tid = 1; tid < team->size; tid++) {
        struct ghcomp_thread *worker = ghcomp_worker_of(team->members[tid]);
        if (ghcomp_mailbox_send(worker, fork, tid, 0))
            team->wake[sleepers++] = worker;
    }
    if (sleepers == 0)
        return;
    ghcomp_store_relaxed(&team->wake_count, sleepers);
    ghcomp_store_release(&team->wake_next, 0u);
    ghcomp_worker_wake_sleepers(team);
}

void ghcomp_fork_tree_release(struct ghcomp_team *team, void (*fn)(void *), void *data)
{
    int32_t cpu = ghcomp_load_relaxed(&ghcomp_cpu_account_shared) ? ghcomp_worker_placement_cpu(team->size) : -1;
    struct ghcomp_fork fork = ghcomp_fork_begin(team, fn, data, cpu);
    if (ghcomp_cpu_load_oversubscribed())
        start_all(team, &fork);
    else
        start_halves(&fork, team->size);
}

void ghcomp_fork_tree_pass_on(struct ghcomp_thread *worker)
{
    struct ghcomp_fork fork = ghcomp_fork_received(&worker->mail);
    uint32_t first = worker->mail.tid + 1, until = worker->mail.until;
    while (first < until) {
        uint32_t middle = first + (until - first) / 2;
        start(&fork, middle, until);
        until = middle;
    }
}
