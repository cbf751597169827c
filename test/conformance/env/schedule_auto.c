/* schedule(runtime) with auto: as on libgomp it is static with the chunk size of the schedule before it, 1 at first,
   where it is combined with parallel, and else in blocks. (For clang's code as on libomp: it has no chunk size, and is
   guided.)
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

/* Loops inside of the region, of each form; `by` has the thread of each iteration. */
static void expect_blocks(const int *by)
{
#ifndef __clang__
    for (int i = 0; i < COUNT; i++)
        CHECK(by[i] == (i < 17 ? 0 : i < 34 ? 1 : 2));
#else
    (void)by;
#endif
}

static void inner_loops(void)
{
    int by[4][COUNT];
#pragma omp parallel
    {
        CHECK(omp_get_num_threads() == 3);
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < COUNT; i++)
            by[0][i] = omp_get_thread_num();
#pragma omp for schedule(runtime)
        for (unsigned long long i = 0; i < COUNT; i++)
            by[1][i] = omp_get_thread_num();
#pragma omp for schedule(runtime) ordered
        for (int i = 0; i < COUNT; i++) {
            by[2][i] = omp_get_thread_num();
#pragma omp ordered
            by[2][i] += 0;
        }
#pragma omp for schedule(runtime) ordered(1)
        for (int i = 0; i < COUNT; i++) {
#pragma omp ordered depend(sink : i - 1)
            by[3][i] = omp_get_thread_num();
#pragma omp ordered depend(source)
        }
    }
    for (int form = 0; form < 4; form++)
        expect_blocks(by[form]);
}

int main(void)
{
    omp_sched_t kind;
    int chunk;
    runs_by(1);
    inner_loops();
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
    inner_loops();
    return 0;
}
