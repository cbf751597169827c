/* taskwait and taskyield, as clang and flang emit them. Tests: test/clang/tasks.c. */
#include "abi/abi.h"
#include "abi/observed/taskwait.h"
#include "core/task/task.h"
#include "core/tool/tool.h"

int32_t __kmpc_omp_taskwait(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    struct ghcomp_member *self = ghcomp_self_fast;
    if (ghcomp_likely(self != NULL))
        ghcomp_task_wait_fast(self);
    else
        ghcomp_taskwait_observed(__builtin_return_address(0), __builtin_dwarf_cfa());
    return 0;
}

int32_t __kmpc_omp_taskyield(struct kmp_ident *loc, int32_t thread, int end_part)
{
    (void)loc, (void)thread, (void)end_part;
    ghcomp_task_yield(ghcomp_self_of_libomp());
    return 0;
}

GHCOMP_ABI_OBJECT(kmp_task_wait);
