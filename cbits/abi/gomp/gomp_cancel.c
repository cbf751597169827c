/* GOMP_cancel, GOMP_cancellation_point, GOMP_barrier_cancel. Tests: test/conformance/{cancel,trunk}.
 *
 * The result true makes the compiled code jump to the end of the construct. `which` is enum ghcomp_cancel_kind. */
#include "abi/abi.h"
#include "core/sync/barrier.h"
#include "core/team/cancel.h"
#include "core/tool/tool.h"

/* do_cancel is the value of the if clause; when it is false the construct is still a cancellation point. */
bool GOMP_cancel(int which, bool do_cancel)
{
    GHCOMP_TOOL_SITE();
    struct ghcomp_member *self = ghcomp_self();
    bool leaves = do_cancel ? ghcomp_cancel(self, which) : ghcomp_cancellation_point(self, which);
    if (leaves && ghcomp_tool_on())
        ghcomp_cancel_report(self, which, do_cancel);
    return leaves;
}

bool GOMP_cancellation_point(int which)
{
    GHCOMP_TOOL_SITE();
    struct ghcomp_member *self = ghcomp_self();
    bool leaves = ghcomp_cancellation_point(self, which);
    if (leaves && ghcomp_tool_on())
        ghcomp_cancel_report(self, which, false);
    return leaves;
}

bool GOMP_barrier_cancel(void)
{
    GHCOMP_TOOL_SITE_OF(ompt_sync_region_barrier_explicit);
    struct ghcomp_member *self = ghcomp_self();
    return ghcomp_cancel_leaves(self, ghcomp_barrier_wait_cancellable(self));
}

/* `kind` as in GOMP_barrier_ext. */
bool GOMP_barrier_cancel_ext(int kind)
{
    GHCOMP_TOOL_SITE_OF(kind == 2 ? ompt_sync_region_barrier_explicit : ompt_sync_region_barrier_implicit_workshare);
    struct ghcomp_member *self = ghcomp_self();
    return ghcomp_cancel_leaves(self, ghcomp_barrier_wait_cancellable(self));
}

GHCOMP_ABI_OBJECT(gomp_cancel);
