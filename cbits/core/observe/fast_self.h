/* The three states in which an entry finds its construct, and the one load that distinguishes the first.
 *
 *   fast      ghcomp_self_fast is the thread's member: no hook is active, no construct can be cancelled. The entry
 *             calls X_fast(self), which has no hooks and costs what it would cost in a runtime without any.
 *   observed  ghcomp_self_fast is NULL. The entry calls X_observed, which reads the word of the observers (observers.h)
 *             and runs the hooks that are active. It must tolerate that none is active: the thread may just be new, or
 *             cancel-var true.
 *   filtered  the construct is observed, and the tool's filter rejects it (core/tool/tool_filter.h): the runtime runs X
 *             and reports no events of it.
 *
 *     GOMP_x:  self = ghcomp_self_fast
 *              self != NULL -> X_fast(self)
 *              NULL         -> X_observed(address, frame)
 *                              filtered? -> X, unreported : events around X
 *
 * An entry needs its thread's member in any case, which is NULL before the thread's first call. ghcomp_self_fast is
 * ghcomp_self_member (core/state/types.h), or NULL when the word of the observers has a bit of GHCOMP_OBSERVE_SLOW, so
 * one load covers both.
 *
 * Where it lies: core/state/self.h. Protocol: thread-local, its own thread only. It is set where the thread becomes
 * another member, so it has the state at the beginning of the member's part. The hooks of an observer that is added
 * later (only a log is) run from the thread's next region on.
 *
 * Set by team.c, thread.c, worker.c, initial_region.c, trace.c; read by the entries of abi/gomp and abi/kmp. Covered by
 * test/unit/trace.c and test/ompt.
 */
#pragma once

#include "core/observe/observers.h"
#include "core/state/types.h"

/* The bits with which ghcomp_self_fast is NULL. */
enum { GHCOMP_OBSERVE_SLOW = GHCOMP_OBSERVE_HOOKS | GHCOMP_CANCELLABLE | GHCOMP_SELF_LATE };

/* The calling thread, which is a member, becomes `self`. The caller has found no bit of GHCOMP_OBSERVE_SLOW since the
   thread was another member. */
static inline void ghcomp_self_becomes_fast(struct ghcomp_member *self)
{
    ghcomp_fence_handler();
    ghcomp_self_set_early(self);
}

/* The same for a caller that has not read the word of the observers. NULL: the runtime does not know the thread any
   more. A free agent is never fast: observed entries check for what is different on an agent (agents.c). */
static inline void ghcomp_self_becomes(struct ghcomp_member *self)
{
    ghcomp_fence_handler();
    ghcomp_self_set(self, (ghcomp_observers_now() & GHCOMP_OBSERVE_SLOW) == 0 && self != NULL && !ghcomp_agent(self));
}

/* Makes the calling worker a member of no region until its next one, because another master may get the team as soon as
   the worker has answered. Does not change ghcomp_self_fast: constructs do not occur between regions. */
static inline void ghcomp_self_idles(struct ghcomp_thread *worker)
{
    ghcomp_self_set_member(&worker->idle);
    ghcomp_fence_handler();
}
