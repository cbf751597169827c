/* NAME_ALL applies to the host when NAME is not set; NAME_DEV does not.
   env: OMP_NUM_THREADS_ALL=5 OMP_NUM_THREADS_DEV=9 OMP_SCHEDULE_ALL=static,3 OMP_SCHEDULE=guided,2
   ghcomp-only: libgomp 12 does not have these forms */
#include <omp.h>

#include "../common.h"

int main(void)
{
    omp_sched_t kind;
    int chunk;
    CHECK(omp_get_max_threads() == 5);
    omp_get_schedule(&kind, &chunk);
    CHECK(kind == omp_sched_guided && chunk == 2);
    return 0;
}
