/* Limits from the environment.
   env: OMP_NUM_THREADS=8 OMP_THREAD_LIMIT=3 OMP_MAX_ACTIVE_LEVELS=2 OMP_NUM_TEAMS=5 OMP_TEAMS_THREAD_LIMIT=6
   env: OMP_DYNAMIC=True OMP_CANCELLATION=TRUE OMP_MAX_TASK_PRIORITY=11 OMP_DEFAULT_DEVICE=4
   symbols: omp_get_thread_limit omp_get_max_teams omp_get_teams_thread_limit omp_get_dynamic
   symbols: omp_get_cancellation omp_get_max_task_priority omp_get_default_device */
#include <omp.h>

#include "../common.h"

int main(void)
{
    CHECK(omp_get_thread_limit() == 3 && omp_get_max_threads() == 8);
    CHECK(omp_get_max_active_levels() == 2 && omp_get_nested());
    CHECK(omp_get_max_teams() == 5 && omp_get_teams_thread_limit() == 6);
    CHECK(omp_get_dynamic() && omp_get_cancellation());
    CHECK(omp_get_max_task_priority() == 11 && omp_get_default_device() == 4);
    omp_set_dynamic(0);
#pragma omp parallel num_threads(8)
    CHECK(omp_get_num_threads() == 3);
    return 0;
}
