/* taskwait and taskyield, as clang and flang emit them. Tests: test/clang/tasks.c. */
#include "abi/abi.h"
#include "core/task/task.h"
#include "core/tool/tool.h"

int32_t __kmpc_omp_taskwait(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    GHCOMP_TOOL_SITE();
    ghcomp_task_wait(ghcomp_self());
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
