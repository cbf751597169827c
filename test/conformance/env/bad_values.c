/* A bad value leaves its default; the good values beside it apply.
   env: OMP_NUM_THREADS=0 OMP_DYNAMIC=2 OMP_NESTED=maybe OMP_MAX_ACTIVE_LEVELS=-1 OMP_THREAD_LIMIT=none
   env: OMP_SCHEDULE=bogus OMP_CANCELLATION=oui OMP_MAX_TASK_PRIORITY=x OMP_NUM_TEAMS=0 OMP_TEAMS_THREAD_LIMIT=7
   expect-stderr: ^ghc-openmp: warning: OMP_NUM_THREADS='0' is not .*; using the default, one thread for each usable CPU$
   expect-stderr: ^ghc-openmp: warning: OMP_SCHEDULE='bogus' is not .*; using the default, dynamic,1$
   expect-stderr: \A(ghc-openmp: warning: [A-Z_]*='[^']*' is not .*; using the default, .*\n){9}\Z */
#include <limits.h>
#include <omp.h>

#include "../common.h"

int main(void)
{
    omp_sched_t kind;
    int chunk;
    /* Fewer where a quota of CPU time says so. */
    CHECK(omp_get_max_threads() >= 1 && omp_get_max_threads() <= omp_get_num_procs() && !omp_get_dynamic());
    CHECK(omp_get_max_active_levels() == 1 && omp_get_thread_limit() == INT_MAX);
    omp_get_schedule(&kind, &chunk);
    CHECK(kind == omp_sched_dynamic && chunk == 1);
    CHECK(!omp_get_cancellation() && omp_get_max_task_priority() == 0);
    CHECK(omp_get_max_teams() == 0 && omp_get_teams_thread_limit() == 7);
    return 0;
}
