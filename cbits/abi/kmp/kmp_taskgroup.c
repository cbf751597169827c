/* taskgroup, as clang and flang emit it. Tests: test/clang/taskgroups.c. */
#include "abi/abi.h"
#include "core/task/taskgroup.h"
#include "core/tool/tool.h"

void __kmpc_taskgroup(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    GHCOMP_TOOL_SITE();
    ghcomp_taskgroup_start(ghcomp_self());
}

void __kmpc_end_taskgroup(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    GHCOMP_TOOL_SITE();
    ghcomp_taskgroup_end(ghcomp_self());
}

GHCOMP_ABI_OBJECT(kmp_taskgroup);
