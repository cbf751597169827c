/* In a taskgroup that is cancelled: a taskloop, which is a taskgroup of its own, and the tasks of an inner taskgroup
   run; a taskloop without a group of its own does not.
   env: OMP_CANCELLATION=true
   symbols: GOMP_taskloop GOMP_cancel GOMP_taskgroup_start */
#include <omp.h>

#include "../common.h"

int main(void)
{
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 4; threads++) {
        int looped = 0, inner = 0, ungrouped = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
#pragma omp taskgroup
        {
#pragma omp task
            {
#pragma omp cancel taskgroup
            }
#pragma omp taskwait
#pragma omp taskgroup
            {
#pragma omp task shared(inner)
                inner = 1;
            }
#pragma omp taskloop shared(looped)
            for (int i = 0; i < 8; i++) {
#pragma omp atomic
                looped++;
            }
#pragma omp taskloop nogroup shared(ungrouped)
            for (int i = 0; i < 8; i++) {
#pragma omp atomic
                ungrouped++;
            }
        }
        CHECK(inner == 1 && looped == 8 && ungrouped == 0);
    }
    return 0;
}
