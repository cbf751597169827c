/* The calling thread's member while nobody watches: one look for entries that need the member in any case.
 *
 * An entry must know its thread's member, which is NULL before the thread's first call, and whether it has hooks to
 * run. ghcomp_self_fast answers both: it is ghcomp_self_member (core/state/types.h), or NULL when the word of the
 * observers (observers.h) has a hook or says that cancel-var is true. So an entry's path without hooks costs what it
 * would cost in a runtime without hooks. The other path must bear that there is nothing to do.
 *
 * Where it lies: core/state/self.h. Protocol: thread-local, its own thread only. It is set wherever the thread becomes
 * another member, so it says whether somebody watched when the member began its part: an observer that comes later,
 * which only a log does, is seen from the thread's next region on. Where ghcomp_self_fast is not NULL, cancel-var is
 * false.
 *
 * Set by team.c, thread.c, pool.c, initial_region.c, trace.c; read by the entries of abi/gomp and abi/kmp. Covered by
 * test/unit/trace.c and test/ompt.
 */
#pragma once

#include "core/observe/observers.h"
#include "core/state/types.h"

/* The bits with which it is NULL. */
enum { GHCOMP_OBSERVE_SLOW = GHCOMP_OBSERVE_HOOKS | GHCOMP_CANCELLABLE | GHCOMP_SELF_LATE };

/* The thread, which is a member, is `self` from now on, which nobody watches: the caller has looked, since the thread
   was another member. */
static inline void ghcomp_self_becomes_fast(struct ghcomp_member *self)
{
    ghcomp_fence_handler();
    ghcomp_self_set_early(self);
}

/* The same when the caller has not looked. NULL: the runtime does not know the thread any more. */
static inline void ghcomp_self_becomes(struct ghcomp_member *self)
{
    ghcomp_fence_handler();
    ghcomp_self_set(self, (ghcomp_observers_now() & GHCOMP_OBSERVE_SLOW) == 0);
}

/* The calling worker serves no team, from here until it becomes `self` again: the team may be another master's as soon
   as the worker has answered. Not ghcomp_self_fast: no construct is between regions. */
static inline void ghcomp_self_idles(struct ghcomp_thread *worker)
{
    ghcomp_self_set_member(&worker->idle);
    ghcomp_fence_handler();
}
