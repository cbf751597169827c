/* The runtime's two locks: of the unnamed critical construct, and of atomic constructs without an instruction. Named
 * critical constructs have their lock in the program's data (abi/gomp/gomp_sync.c).
 *
 * fork(): the child has only the calling thread. The child frees a lock that another thread held, which would never be
 * released; a lock that the calling thread held stays its own. `holder` distinguishes the two: it can name the calling
 * thread only if that thread itself wrote it, whatever other threads were writing at the fork().
 *
 * Called by abi/gomp/gomp_sync.c, haskell/critical.c. Covered by test/unit/critical.c and
 * test/conformance/{critical,atomic}.
 */
#include "core/sync/critical.h"

#include "base/check.h"

struct ghcomp_critical ghcomp_critical_unnamed, ghcomp_critical_atomic;

void ghcomp_critical_enter(struct ghcomp_critical *critical)
{
    struct ghcomp_thread *thread = ghcomp_self()->thread;
    ghcomp_user_lock_take(&critical->lock);
    ghcomp_store_relaxed(&critical->holder, thread);
}

bool ghcomp_critical_enter_for(struct ghcomp_critical *critical, uint32_t nanoseconds)
{
    struct ghcomp_thread *thread = ghcomp_self()->thread;
    if (!ghcomp_lock_take_for(&critical->lock, nanoseconds))
        return false;
    ghcomp_races_acquire(ghcomp_observers_now(), &critical->lock);
    ghcomp_store_relaxed(&critical->holder, thread);
    return true;
}

bool ghcomp_critical_try(struct ghcomp_critical *critical)
{
    struct ghcomp_thread *thread = ghcomp_self()->thread;
    if (!ghcomp_user_lock_try(&critical->lock))
        return false;
    ghcomp_store_relaxed(&critical->holder, thread);
    return true;
}

void ghcomp_critical_leave(struct ghcomp_critical *critical)
{
    ghcomp_store_relaxed(&critical->holder, NULL);
    ghcomp_user_lock_give(&critical->lock);
}

static void after_fork(struct ghcomp_critical *critical)
{
    struct ghcomp_member *self = ghcomp_self_member;
    bool mine = self != NULL && ghcomp_load_relaxed(&critical->holder) == self->thread;
    ghcomp_store_relaxed(&critical->lock, mine ? (uint32_t)GHCOMP_LOCK_HELD : 0u);
    if (!mine)
        ghcomp_store_relaxed(&critical->holder, NULL);
}

static void fork_child(void)
{
    after_fork(&ghcomp_critical_unnamed);
    after_fork(&ghcomp_critical_atomic);
}

__attribute__((constructor(102))) static void critical_init(void)
{
    ghcomp_at_fork(NULL, NULL, fork_child);
}
