/* OMP_SCHEDULE without a modifier: clang's code sees none, as on libomp. What the program sets it gets back in full.
 *
 * symbols: omp_get_schedule
 * env: OMP_SCHEDULE=static,4
 */
#include <omp.h>

#include "kmp.h"

static void is(unsigned kind, int chunk)
{
    omp_sched_t now;
    int chunk_now;
    omp_get_schedule(&now, &chunk_now);
    CHECK((unsigned)now == kind && chunk_now == chunk);
}

int main(void)
{
    static const unsigned monotonic = 0x80000000u;
    is(omp_sched_static, 4);
#pragma omp parallel num_threads(2)
    is(omp_sched_static, 4);
    omp_set_schedule((omp_sched_t)(omp_sched_static | monotonic), 5);
    is(omp_sched_static | monotonic, 5);
#pragma omp parallel num_threads(2)
    {
        is(omp_sched_static | monotonic, 5);
        omp_set_schedule(omp_sched_guided, 6);
        is(omp_sched_guided, 6);
    }
    is(omp_sched_static | monotonic, 5);
    return 0;
}
