/* In a cancelled taskgroup target tasks do not start any more; a target region without nowait is not a task that could
   be discarded.
   env: OMP_CANCELLATION=true
   symbols: GOMP_target_ext GOMP_target_update_ext */
#include <omp.h>

#include "../common.h"

int main(void)
{
    int deferred = 0, at_once = 0, before = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp target nowait map(tofrom : before)
            before++;
#pragma omp taskwait
#pragma omp task
            {
#pragma omp cancel taskgroup
            }
#pragma omp taskwait
#pragma omp target nowait map(tofrom : deferred)
            deferred++;
#pragma omp target update to(deferred) nowait depend(out : deferred)
#pragma omp target map(tofrom : at_once)
            at_once++;
        }
        /* After the taskgroup everything is as usual. */
#pragma omp target nowait map(tofrom : before)
        before++;
    }
    CHECK(before == 2 && deferred == 0 && at_once == 1);
    return 0;
}
