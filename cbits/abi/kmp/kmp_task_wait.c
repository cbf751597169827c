/* taskwait and taskyield, as clang and flang emit them. Tests: test/clang/tasks.c. */
#include "abi/abi.h"
#include "core/task/task.h"
#include "core/tool/tool.h"

/* Where ghcomp_self_unseen is NULL. */
static __attribute__((noinline, cold)) void wait_told(const void *return_address, void *frame)
{
    if (ghcomp_tool_on())
        ghcomp_tool_note(return_address, frame, 0);
    ghcomp_task_wait(ghcomp_self());
}

int32_t __kmpc_omp_taskwait(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    struct ghcomp_member *self = ghcomp_self_unseen;
    if (ghcomp_likely(self != NULL))
        ghcomp_task_wait_unseen(self);
    else
        wait_told(__builtin_return_address(0), __builtin_dwarf_cfa());
    return 0;
}

int32_t __kmpc_omp_taskyield(struct kmp_ident *loc, int32_t thread, int end_part)
{
    (void)loc, (void)thread, (void)end_part;
    GHCOMP_TOOL_SITE();
    ghcomp_task_yield(ghcomp_self());
    return 0;
}

GHCOMP_ABI_OBJECT(kmp_task_wait);
