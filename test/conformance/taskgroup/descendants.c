/* The end of a taskgroup waits for all that was created in it, however deep, and for nothing from outside; groups nest,
   in one task and across tasks.
   limit: 60
   symbols: GOMP_taskgroup_start GOMP_taskgroup_end GOMP_task GOMP_taskloop */
#include <omp.h>

#include "../common.h"
#include "../gate.h"

static void plant(int depth, int *count)
{
    for (int i = 0; i < 2; i++) {
#pragma omp task firstprivate(count)
        {
            if (depth > 0)
                plant(depth - 1, count);
            count_up(count);
        }
    }
}

static void groups(void)
{
    int outer = 0, inner = 0, after = 0;
#pragma omp taskgroup
    {
        plant(3, &outer);
#pragma omp taskgroup
        {
            plant(4, &inner);
#pragma omp taskgroup
            {
            }
        }
        CHECK(inner == 62);
#pragma omp task shared(outer, after)
        {
            int own = 0;
#pragma omp taskgroup
            {
                plant(2, &own);
#pragma omp taskloop num_tasks(4) shared(own)
                for (int i = 0; i < 8; i++)
                    count_up(&own);
            }
            CHECK(own == 14 + 8);
            plant(3, &outer);
            count_up(&after);
        }
#pragma omp taskyield
    }
    CHECK(outer == 60 && after == 1);
}

/* A task from before the group, or of another member, may outlast it. */
static void not_others(void)
{
    int open = 0, done = 0, inside = 0, started = 0, me = omp_get_thread_num();
#pragma omp task shared(open, done, started)
    {
        open_gate(&started);
        if (omp_get_thread_num() != me)
            wait_for(&open);
        done = 1;
    }
    if (omp_get_num_threads() > 1) {
        /* Another thread runs it, so that this thread does not take it in the group. */
        wait_for(&started);
    }
#pragma omp taskgroup
    {
#pragma omp task shared(inside)
        inside = 1;
    }
    CHECK(inside == 1);
    open_gate(&open);
#pragma omp taskwait
    CHECK(done == 1);
}

int main(void)
{
    omp_set_dynamic(0);
    groups();
    for (int threads = 1; threads <= 8; threads *= 2) {
        for (int pass = 0; pass < 5; pass++) {
            int loose = 0;
#pragma omp parallel num_threads(threads)
            {
                plant(4, &loose);
                groups();
#pragma omp single nowait
                groups();
#pragma omp task
                groups();
#pragma omp barrier
#pragma omp single
                not_others();
                /* A region in a group: its tasks belong to its own team. */
#pragma omp taskgroup
                {
                    int deep = 0;
#pragma omp parallel num_threads(2) shared(deep)
                    {
#pragma omp single
                        plant(2, &deep);
                    }
                    CHECK(deep == 14);
                }
            }
            CHECK(loose == threads * 62);
        }
    }
    return 0;
}
