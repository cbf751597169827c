/* Events of detachable tasks, and proxy tasks: such a task is complete when its function has returned and a thread has
 * made the completing call, in either order. omp_fulfill_event is in gomp_task.c: for both compilers an event is the
 * core's task. Tests: test/clang/detach_{events,proxy}.c. */
#include "abi/kmp/kmp_task.h"

void *__kmpc_task_allow_completion_event(struct kmp_ident *loc, int32_t thread, struct kmp_task *task)
{
    (void)loc, (void)thread;
    return ghcomp_kmp_frame(task)->task;
}

void __kmpc_proxy_task_completed(int32_t thread, struct kmp_task *task)
{
    (void)thread;
    ghcomp_task_fulfill(ghcomp_kmp_frame(task)->task);
}

/* May be called by any thread of the process. */
void __kmpc_proxy_task_completed_ooo(struct kmp_task *task)
{
    ghcomp_task_fulfill(ghcomp_kmp_frame(task)->task);
}

GHCOMP_ABI_OBJECT(kmp_task_event);
