/* What libomptarget asks of the runtime about a task: one that is no target task has no handle of a device.
 *
 * symbols: __kmpc_omp_has_task_team __kmpc_omp_get_target_async_handle_ptr
 */
#include "kmp.h"

_Bool __kmpc_omp_has_task_team(int32_t);
void **__kmpc_omp_get_target_async_handle_ptr(int32_t);

int main(void)
{
    (void)__kmpc_omp_has_task_team(thread_number()); /* libomp: true where the thread has been in a team */
    void **handle = __kmpc_omp_get_target_async_handle_ptr(thread_number());
    CHECK(handle == NULL || *handle == NULL);
    return 0;
}
