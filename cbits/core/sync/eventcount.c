/* The eventcount of a team, as oneTBB's concurrent_monitor: threads sleep on it until a condition of any kind has
 * changed. Its word holds the number of notifications, the barrier's episode (barrier.c, barrier_tree.c), so that one
 * load reads both, and the waiters bit: a thread sleeps on the word, or is about to.
 *
 *   change of the word       made by                  count, episode    waiters bit    wakes
 *   announcement (step 2)    a waiter                 same              set            none
 *   notification             a condition's changer    count + 1         cleared        all
 *   end of an episode        the releaser             next episode      cleared        two
 *   ready task               the pusher               count + 1         kept           one
 *
 * A wait:
 *
 *   1. The waiter loads the eventcount (load_acquire) and then checks its condition.
 *   2. Before it sleeps it sets the waiters bit (cas_seqcst, even where it is set: it is the waiter's own fence), has
 *      all threads execute a fence where that is needed (see below), and starts again at step 1.
 *   3. It sleeps only while the word is what it loaded, waiters bit included; the kernel compares it again.
 *
 * A waiter that has run a task since step 2 has changed a condition itself, its count of completed tasks. So it repeats
 * step 2: otherwise two waiters that complete the last two tasks could each miss the other's count, and both sleep. It
 * repeats step 2 as well when the word has changed since (`announced_on`), even if the bit is set: a notification has
 * cleared it, and another waiter has set it again after this one's fence.
 *
 * A notification: the notifier changes the condition, then adds one to the count and clears the waiters bit
 * (cas_acqrel, pairs with the load of step 1), and wakes all sleepers if the bit was set.
 *
 * No wake-up is lost. A waiter that missed the change loaded the eventcount before the notification. Either the word
 * changed before its sleep, which fails, or it slept with the waiters bit set before the notification, and is woken.
 * Clearing the bit alone would not suffice: another waiter could set it again and restore the old word. So
 * notifications are counted.
 *
 * Two other changes of the word wake fewer threads. The end of an episode stores the next one (xchg_acqrel) and wakes
 * two sleepers, which wake the others (barrier.c). A ready task is for one thread: the notification is counted, the bit
 * stays for the others, and one sleeper is woken (task_team.c).
 *
 * A thread may omit the notification only if no thread sleeps. It learns this from a bit of the condition itself, which
 * a waiter sets before its last check (bit 0 of a pending count, task_wait.c), or from the waiters bit after the
 * change. That read must not come before the change is visible. Setting an arrival flag (barrier_flags.c) and pushing a
 * task (task_team.c) have no fence of the processor in between, because it is costly; so in a team that waits by
 * unfenced flags, or has tasks, the fence of step 2 is one of all threads (ghcomp_os_fence_all).
 *
 * A sleep without that fence. The rate of such fences is bounded (host/os.h), because each interrupts all CPUs of the
 * process, and with tasks or uneven work threads sleep many thousand times in a second. The other sleeps have a limit.
 * A sleeper may miss a change whose maker read the word before the waiters bit was there, and whose store was still on
 * its way to the caches at the waiter's last check. A store takes less than a microsecond to arrive, so this is rare,
 * and the waiter sees the change when it checks again after UNFENCED_NS. While the word stays the same the bit is set,
 * and the maker of any later change sees it. So the limit may double from sleep to sleep, up to UNFENCED_MOST_NS, on
 * which no correctness depends: a thread that waits for long is not woken a thousand times in a second.
 *
 * Whether the team has tasks is a condition, too (team.tasked). Its maker sets it (xchg_seqcst), pushes, and reads the
 * waiters bit (load_seqcst); a sleeper sets the bit (cas_seqcst) and then reads `tasked` (load_seqcst), to decide about
 * the fence. So the first push and all later ones see a sleeper that omits the fence.
 *
 * Waiters: barrier.c, barrier_flags.c, barrier_tree.c, reduction_tree.c, task_wait.c, task_team.c, haskell/task.c.
 * Notifiers: barrier_flags.c, reduction_tree.c, cancel.c, task.c, task_run.c, task_threadset.c, taskdep_complete.c,
 * task_team.c, haskell/task.c. Covered by test/unit/{team,team_sleep,barrier_flags_sleep,task_sleep}.c. Explored with
 * barrier_flags.c (test/explore/barrier_flags.c): no wake-up is lost, two or three members, within its bounds under
 * TSO.
 */
#include "core/sync/eventcount.h"

#include <limits.h>

enum {
    UNFENCED_NS = 1000000,        /* the first sleep without a fence lasts so long at most, ... */
    UNFENCED_MOST_NS = 512000000  /* ... and a later one so long */
};

bool ghcomp_eventcount_fence(struct ghcomp_thread *thread)
{
    if (!ghcomp_os_fence_all())
        return false;
    ghcomp_count_in(&thread->counts, GHCOMP_COUNT_FENCES, 1);
    return true;
}

uint32_t ghcomp_eventcount_longer(uint32_t limit_ns)
{
    return limit_ns == 0 ? UNFENCED_NS : limit_ns < UNFENCED_MOST_NS / 2 ? 2 * limit_ns : UNFENCED_MOST_NS;
}

void ghcomp_eventcount_sleep_limited(struct ghcomp_team *team, uint32_t seen, struct ghcomp_eventcount_wait *wait)
{
    wait->limit_ns = ghcomp_eventcount_longer(wait->slept_on == seen ? wait->limit_ns : 0);
    wait->slept_on = seen;
    ghcomp_wait_park_for(&team->barrier.eventcount, seen, wait->limit_ns);
}

void ghcomp_eventcount_notify(struct ghcomp_team *team)
{
    if (ghcomp_eventcount_advance(team, 0u) & 1u)
        ghcomp_os_wake(&team->barrier.eventcount, INT_MAX);
}
