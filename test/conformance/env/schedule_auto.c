/* schedule(runtime) with auto: as on libgomp it is static with the chunk size of the schedule before it, 1 at first.
   (For clang's code as on libomp: it has no chunk size, and is guided.)
   env: OMP_SCHEDULE=auto OMP_NUM_THREADS=3 OMP_DYNAMIC=false */
#include <omp.h>

#include "../common.h"

enum { COUNT = 50 };

static void runs_by(int chunk)
{
    int by[COUNT], last = COUNT;
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < COUNT; i++)
        by[i] = omp_get_thread_num();
#ifndef __clang__
    for (int i = 0; i < COUNT; i++)
        CHECK(by[i] == i / chunk % 3);
#endif
    CHECK(by[--last] < 3);
}

int main(void)
{
    omp_sched_t kind;
    int chunk;
    runs_by(1);
    omp_set_schedule(omp_sched_static, 4);
    omp_set_schedule(omp_sched_auto, 9);
    omp_get_schedule(&kind, &chunk);
    CHECK(kind == omp_sched_auto);
#ifdef __clang__
    CHECK(chunk == 1);
#else
    CHECK(chunk == 4);
#endif
    runs_by(4);
    return 0;
}
