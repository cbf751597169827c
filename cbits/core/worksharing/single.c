/* Single regions: the first member to arrive executes.
 *
 * A single without copyprivate needs no work share. Members meet the singles of a region in the same order. Each counts
 * those that it has met, and the team counts the claimed ones. A member whose number is the team's claims the region by
 * cas; a smaller number means that another member was first. Any number of nowait singles may lie between two members.
 * The team's count is never behind a member's, because a member counts a single only when it has been claimed. The
 * counts continue from region to region, so that nothing is reset: members start at the team's count of the join before
 * (team.singles, written by the master when no member is in the region). A member's own count, even the master's, may
 * be behind that: after a cancelled region, or if members met different numbers of singles, an error of the program
 * that must not affect the next region. With a count that is behind, a member would never claim a single.
 *
 * copyprivate: the member that publishes the share executes the region. The others wait on share.copied (a futex word,
 * wait.h), which the executing member changes when copied_from is set (xchg_acqrel, pairs with the waiters'
 * load_acquire). Its data stays valid until the barrier that the compiler puts after the construct. A member that waits
 * has not left the share, so the share is not reused. Clang's code executes a single without copyprivate first and
 * passes the data on after it (ghcomp_single_copy_pass); there the first member to arrive may be one that waits.
 *
 * Called by abi/{gomp/gomp_single,kmp/kmp_single}.c, haskell/construct.c. Covered by test/unit/workshare.c and
 * test/conformance/single.
 */
#include "core/worksharing/single.h"

#include <limits.h>

#include "core/cpu/wait.h"
#include "core/tsan/races.h"

static bool enter_share(struct ghcomp_member *self)
{
    bool first = false;
    struct ghcomp_workshare *share = ghcomp_workshare_next(self);
    if (share == NULL) {
        struct ghcomp_workshare *mine = ghcomp_workshare_new(self);
        ghcomp_store_relaxed(&mine->copied, 0u);
        share = ghcomp_workshare_publish(self, mine, &first);
    }
    ghcomp_workshare_enter(self, share);
    return first;
}

static void *wait_for_copy(struct ghcomp_member *self)
{
    bool slept;
    ghcomp_wait_change(&self->share->copied, 0, GHCOMP_WAIT_LOCK, &slept);
    ghcomp_races_acquire(ghcomp_observers_now(), &self->share->copied);
    return self->share->copied_from;
}

void *ghcomp_single_copy_enter(struct ghcomp_member *self)
{
    if (self->team->size == 1 || enter_share(self))
        return NULL;
    return wait_for_copy(self);
}

void ghcomp_single_copy_publish(struct ghcomp_member *self, void *data)
{
    if (self->team->size == 1)
        return;
    struct ghcomp_workshare *share = self->share;
    share->copied_from = data;
    ghcomp_races_release(ghcomp_observers_now(), &share->copied);
    if (ghcomp_xchg_acqrel(&share->copied, 2u) & 1u)
        ghcomp_os_wake(&share->copied, INT_MAX);
}

void *ghcomp_single_copy_pass(struct ghcomp_member *self, bool mine, void *data)
{
    if (self->team->size == 1)
        return data;
    enter_share(self);
    if (!mine)
        return wait_for_copy(self);
    ghcomp_single_copy_publish(self, data);
    return data;
}
