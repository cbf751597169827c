/* Without OMP_SCHEDULE run-sched-var is static in clang's code, as on libomp, for the routine and for loops.
 *
 * symbols: omp_get_schedule __kmpc_dispatch_init_4
 */
#include <omp.h>

#include "kmp.h"

enum { COUNT = 103, THREADS = 4 };

static int expected[COUNT], owner[COUNT];

int main(void)
{
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    CHECK(kind == omp_sched_static && chunk == 0);
#pragma omp parallel num_threads(THREADS)
    {
        CHECK(omp_get_num_threads() == THREADS);
#pragma omp for schedule(static)
        for (int i = 0; i < COUNT; i++)
            expected[i] = omp_get_thread_num() + 1;
#pragma omp for schedule(runtime)
        for (int i = 0; i < COUNT; i++)
            owner[i] += omp_get_thread_num() + 1;
    }
    for (int i = 0; i < COUNT; i++)
        CHECK(owner[i] == expected[i]);
    omp_set_schedule(omp_sched_dynamic, 0);
    omp_get_schedule(&kind, &chunk);
    CHECK(kind == omp_sched_dynamic && chunk == 1);
    return 0;
}
