/* Single regions: the member that publishes the share executes the region.
 *
 * copyprivate: the others wait on share.copied (a sleeping word, wait.h), which the executing member changes when
 * copied_from is set (xchg_acqrel, pairs with the waiters' load_acquire). Its data stays valid until the barrier that
 * the compiler puts behind the construct. A member has not left the share while it waits, so the share stays, too.
 *
 * Called by abi/gomp_single.c. Covered by test/unit/workshare.c and test/conformance/single.
 */
#include "core/single.h"

#include <limits.h>

#include "core/wait.h"

bool ghcomp_single_enter(struct ghcomp_member *self)
{
    if (self->team->size == 1)
        return true;
    bool first = false;
    struct ghcomp_workshare *share = ghcomp_workshare_next(self);
    if (share == NULL)
        share = ghcomp_workshare_publish(self, ghcomp_workshare_new(self), &first);
    ghcomp_workshare_enter(self, share);
    return first;
}

void *ghcomp_single_copy_enter(struct ghcomp_member *self)
{
    if (ghcomp_single_enter(self))
        return NULL;
    bool slept;
    ghcomp_wait_change(&self->share->copied, 0, GHCOMP_WAIT_LOCK, &slept);
    return self->share->copied_from;
}

void ghcomp_single_copy_publish(struct ghcomp_member *self, void *data)
{
    if (self->team->size == 1)
        return;
    struct ghcomp_workshare *share = self->share;
    share->copied_from = data;
    if (ghcomp_xchg_acqrel(&share->copied, 2u) & 1u)
        ghcomp_os_wake(&share->copied, INT_MAX);
}
