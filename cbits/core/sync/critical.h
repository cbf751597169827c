/* The lock of the unnamed critical construct, and that of atomic constructs without an instruction. Protocol in
   critical.c. */
#pragma once

#include "core/sync/lock.h"

/* A lock that the whole process shares and that is usable in the child of a fork(). */
struct ghcomp_critical {
    _Atomic uint32_t lock;
    _Atomic(struct ghcomp_thread *) holder; /* atomic(relaxed): see critical.c */
} GHCOMP_ALIGNED_PAIR;

extern struct ghcomp_critical ghcomp_critical_unnamed, ghcomp_critical_atomic;

/* Waits until no thread is inside. A thread that enters a section from within it waits for ever, as on the peers. */
void ghcomp_critical_enter(struct ghcomp_critical *critical);
/* Enters, or gives up after about that many nanoseconds (below a second). True: it has entered. */
bool ghcomp_critical_enter_for(struct ghcomp_critical *critical, uint32_t nanoseconds);
/* Enters if that needs no waiting. True: it has entered. */
bool ghcomp_critical_try(struct ghcomp_critical *critical);
void ghcomp_critical_leave(struct ghcomp_critical *critical);

/* The same for an entry that has found that no hook is active. */
static inline void ghcomp_critical_enter_fast(struct ghcomp_critical *critical)
{
    struct ghcomp_thread *thread = ghcomp_self()->thread;
    ghcomp_lock_take(&critical->lock);
    ghcomp_store_relaxed(&critical->holder, thread);
}

static inline void ghcomp_critical_leave_fast(struct ghcomp_critical *critical)
{
    ghcomp_store_relaxed(&critical->holder, NULL);
    ghcomp_lock_give(&critical->lock);
}
