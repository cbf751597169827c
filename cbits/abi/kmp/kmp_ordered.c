/* Ordered regions of a loop. kmp_dispatch.c says when the turn passes on. Tests: test/clang/loops.c. */
#include "abi/abi.h"
#include "core/tool/tool.h"
#include "core/worksharing/ordered.h"

void __kmpc_ordered(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    GHCOMP_TOOL_SITE();
    struct ghcomp_member *self = ghcomp_self();
    if (ghcomp_tool_on())
        ghcomp_tool_mutex_wait(ompt_mutex_ordered, 0, self->share);
    ghcomp_ordered_wait(self);
    if (ghcomp_tool_on())
        ghcomp_tool_mutex_taken(ompt_mutex_ordered, self->share);
}

void __kmpc_end_ordered(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    GHCOMP_TOOL_SITE();
    if (ghcomp_tool_on())
        ghcomp_tool_mutex_given(ompt_mutex_ordered, ghcomp_self()->share);
}

GHCOMP_ABI_OBJECT(kmp_ordered);
