/* Cancellation as clang and flang emit it. Tests: test/clang/cancel.c. The result 1 makes the compiled code leave
 * the construct. */
#include "abi/abi.h"
#include "core/team/cancel.h"
#include "core/tool/tool.h"

/* The kinds of construct are numbered from 1; core/team/cancel.h has a bit for each in the same order. */
static inline int kind_of(int32_t kind)
{
    return kind >= 1 && kind <= 4 ? 1 << (kind - 1) : 0;
}

int32_t __kmpc_cancel(struct kmp_ident *loc, int32_t thread, int32_t kind)
{
    (void)loc, (void)thread;
    GHCOMP_TOOL_SITE();
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    bool leaves = ghcomp_cancel(self, kind_of(kind));
    if (leaves && ghcomp_tool_on())
        ghcomp_cancel_report(self, kind_of(kind), true);
    return leaves;
}

int32_t __kmpc_cancellationpoint(struct kmp_ident *loc, int32_t thread, int32_t kind)
{
    (void)loc, (void)thread;
    GHCOMP_TOOL_SITE();
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    bool leaves = ghcomp_cancellation_point(self, kind_of(kind));
    if (leaves && ghcomp_tool_on())
        ghcomp_cancel_report(self, kind_of(kind), false);
    return leaves;
}

/* Whether a construct of that kind around the caller is cancelled. */
int kmp_get_cancellation_status(int kind)
{
    return ghcomp_cancellation_point(ghcomp_self_of_libomp(), kind_of(kind));
}

GHCOMP_ABI_OBJECT(kmp_cancel);
