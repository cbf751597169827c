/* A task has its own ICVs: it inherits its parent's at its creation, and those it sets stay in it and are inherited by
   its children.
   symbols: GOMP_task omp_set_num_threads omp_get_max_threads omp_set_schedule omp_set_max_active_levels */
#include <omp.h>

#include "../common.h"
#include "../gate.h"

static void child_sets(int *done)
{
    omp_set_num_threads(3);
#pragma omp task shared(done)
    {
        CHECK(omp_get_max_threads() == 3);
        omp_set_num_threads(11);
        omp_set_schedule(omp_sched_dynamic, 17);
        CHECK(omp_get_max_threads() == 11);
#pragma omp task shared(done)
        {
            omp_sched_t kind;
            int chunk;
            omp_get_schedule(&kind, &chunk);
            CHECK(omp_get_max_threads() == 11 && kind == omp_sched_dynamic && chunk == 17);
            omp_set_num_threads(5);
            CHECK(omp_get_max_threads() == 5);
            count_up(done);
        }
#pragma omp task if (0)
        {
            CHECK(omp_get_max_threads() == 11);
            omp_set_num_threads(6);
            CHECK(omp_get_max_threads() == 6);
        }
        CHECK(omp_get_max_threads() == 11);
#pragma omp task final(1)
        {
            omp_set_num_threads(7);
#pragma omp task
            {
                CHECK(omp_get_max_threads() == 7);
                omp_set_num_threads(8);
            }
            CHECK(omp_get_max_threads() == 7);
        }
        CHECK(omp_get_max_threads() == 11);
#pragma omp taskwait
        CHECK(omp_get_max_threads() == 11);
        count_up(done);
    }
    CHECK(omp_get_max_threads() == 3);
    omp_set_num_threads(4);
    CHECK(omp_get_max_threads() == 4);
}

int main(void)
{
    omp_set_dynamic(0);
    int done = 0;
    omp_set_num_threads(2);
#pragma omp task if (0)
    {
        CHECK(omp_get_max_threads() == 2);
        omp_set_num_threads(9);
    }
    CHECK(omp_get_max_threads() == 2);
#pragma omp task
    {
        CHECK(omp_get_max_threads() == 2);
        omp_set_num_threads(9);
    }
#pragma omp taskwait
    CHECK(omp_get_max_threads() == 2);

    for (int threads = 1; threads <= 8; threads *= 2) {
        done = 0;
#pragma omp parallel num_threads(threads)
        {
            CHECK(omp_get_max_threads() == 2);
            for (int round = 0; round < 20; round++) {
                child_sets(&done);
#pragma omp taskwait
                CHECK(omp_get_max_threads() == 4);
            }
            /* Executed by any thread, with the ICVs that its creator had at the time. */
            int mine = 20 + omp_get_thread_num();
            omp_set_num_threads(mine);
            for (int i = 0; i < 10; i++) {
#pragma omp task firstprivate(mine)
                CHECK(omp_get_max_threads() == mine);
            }
            omp_set_num_threads(1);
#pragma omp barrier
            CHECK(omp_get_max_threads() == 1);
        }
        CHECK(done == threads * 40);
        CHECK(omp_get_max_threads() == 2);
    }

    /* A region in a task has the size that the task asked for. */
    int sizes = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 1; i <= 4; i++) {
#pragma omp task shared(sizes)
        {
            omp_set_num_threads(i);
#pragma omp parallel
            {
#pragma omp single
                {
                    CHECK(omp_get_num_threads() == i);
                    __atomic_fetch_add(&sizes, i, __ATOMIC_RELAXED);
                }
            }
        }
    }
    CHECK(sizes == 10);
    return 0;
}
