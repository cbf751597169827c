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
 * copyprivate: the member that publishes the share executes the region, and writes the address of its data to it. A
 * barrier of the team orders that for the others, as in libgomp and libomp: so the region's tasks are complete before a
 * member copies, and members that wait run them. A member that has left a cancelled region is missed there, as on both.
 * The data stays valid until the barrier that the compiler puts after the construct, and no member leaves the share
 * before it has read the address. Clang's code executes a single without copyprivate first and passes the data on after
 * it (ghcomp_single_copy_pass); there the first member to arrive may be one that has not executed the region.
 *
 * Called by abi/{gomp/gomp_single,kmp/kmp_single}.c, haskell/construct.c. Covered by test/unit/workshare.c and
 * test/conformance/single.
 */
#include "core/worksharing/single.h"

#include "core/sync/barrier.h"

static bool enter_share(struct ghcomp_member *self)
{
    bool first = false;
    struct ghcomp_workshare *share = ghcomp_workshare_next(self);
    if (share == NULL)
        share = ghcomp_workshare_publish(self, ghcomp_workshare_new(self), &first);
    ghcomp_workshare_enter(self, share);
    return first;
}

bool ghcomp_single_copy_enter(struct ghcomp_member *self)
{
    return self->team->size == 1 || enter_share(self);
}

void ghcomp_single_copy_give(struct ghcomp_member *self, void *data)
{
    if (self->team->size > 1)
        self->share->copied_from = data;
    ghcomp_barrier_wait(self);
}

void *ghcomp_single_copy_get(struct ghcomp_member *self)
{
    ghcomp_barrier_wait(self);
    return self->share->copied_from;
}

void *ghcomp_single_copy_pass(struct ghcomp_member *self, bool mine, void *data)
{
    bool alone = self->team->size == 1;
    if (!alone)
        enter_share(self);
    if (!mine && !alone)
        return ghcomp_single_copy_get(self);
    ghcomp_single_copy_give(self, data);
    return data;
}
