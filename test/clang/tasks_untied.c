/* Untied tasks of many parts, with children, taskyield, taskwait and a taskgroup between the parts.
   ghcomp-only: LLVM 19's libomp hangs in it now and then in teams of more than one
   symbols: __kmpc_omp_task __kmpc_omp_taskyield __kmpc_omp_taskwait
   limit: 60 */
#include <omp.h>

#include "../conformance/common.h"
#include "../conformance/gate.h"

/* The variables of an untied task keep their values from part to part. */
static void untied(void)
{
    int sum = 0;
    for (int i = 0; i < 50; i++)
#pragma omp task untied firstprivate(i) shared(sum)
    {
        int mine = i, left = 0;
        for (int k = 0; k < 4; k++) {
#pragma omp task shared(left)
            count_up(&left);
#pragma omp taskyield
            mine++;
        }
#pragma omp taskwait
        CHECK(left == 4 && mine == i + 4);
#pragma omp taskgroup
        {
#pragma omp task untied shared(left)
            {
#pragma omp taskyield
                count_up(&left);
            }
        }
        CHECK(left == 5);
        count_up(&sum);
    }
#pragma omp taskwait
    CHECK(sum == 50);
}

int main(void)
{
    untied();
    for (int threads = 1; threads <= 5; threads += 2) {
#pragma omp parallel num_threads(threads)
        {
#pragma omp single
            untied();
#pragma omp single nowait
            untied();
#pragma omp barrier
            untied();
        }
    }
    return 0;
}
