/* Queries of libomptarget, LLVM's library for offload, about the calling task. In libomp a target task may leave its
 * thread while its device works, and be enqueued again; then libomptarget keeps the device's handle with the task. Here
 * a task that has started stays on its thread, so libomptarget waits for the device in the task. Tests:
 * test/clang/target_tasks.c, test/programs/offload.sh. */
#include "abi/abi.h"

bool __kmpc_omp_has_task_team(int32_t thread)
{
    (void)thread;
    return false;
}

/* NULL: the task has no such handle. */
void **__kmpc_omp_get_target_async_handle_ptr(int32_t thread)
{
    (void)thread;
    return NULL;
}

GHCOMP_ABI_OBJECT(kmp_target);
