/* libomp's own kind of schedule: the routine names it by libomp's number, and each iteration is executed once.
 *
 * symbols: omp_get_schedule __kmpc_dispatch_init_4
 * env: OMP_SCHEDULE=trapezoidal,13
 */
#include <omp.h>

#include "kmp.h"

enum { COUNT = 1003, TRAPEZOIDAL = 101 };

static int hits[COUNT];

int main(void)
{
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    CHECK((int)kind == TRAPEZOIDAL && chunk == 13);
#pragma omp parallel num_threads(3)
    {
#pragma omp for schedule(runtime)
        for (int i = 0; i < COUNT; i++)
            hits[i]++;
#pragma omp for simd schedule(simd : runtime) simdlen(4)
        for (int i = 0; i < COUNT; i++)
            hits[i]++;
    }
    for (int i = 0; i < COUNT; i++)
        CHECK(hits[i] == 2);
    return 0;
}
