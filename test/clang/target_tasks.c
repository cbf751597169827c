/* What libomptarget asks of the runtime about a task: one outside of a region, and one that is no target task, cannot
 * be enqueued again and has no handle of a device.
 *
 * symbols: __kmpc_omp_has_task_team __kmpc_omp_get_target_async_handle_ptr
 */
#include "kmp.h"

int32_t __kmpc_omp_has_task_team(int32_t);
void **__kmpc_omp_get_target_async_handle_ptr(int32_t);

int main(void)
{
    int32_t has = __kmpc_omp_has_task_team(thread_number()); /* libomp says 1, once there has been a task */
    CHECK(has == 0 || has == 1);
    CHECK(__kmpc_omp_get_target_async_handle_ptr(thread_number()) == NULL);
#pragma omp parallel num_threads(2)
#pragma omp task
    CHECK(__kmpc_omp_get_target_async_handle_ptr(thread_number()) == NULL);
    return 0;
}
