/* Threads that wait in a barrier come back for tasks: the tasks here wait for each other, outside the runtime, so the
   test hangs if one thread stays away. */
#include <omp.h>
#include <unistd.h>

#include "../common.h"
#include "../gate.h"

static void partners(int count, int *met)
{
    for (int i = 0; i < count; i++) {
#pragma omp task firstprivate(met)
        meet(met, count);
    }
}

/* Comes last, when the others are at their barrier, or nearly. Now and then later than any thread polls. */
static void come_late(int *here, int others, int round)
{
    wait_until(here, others);
    if (round % 10 == 9)
        usleep(30000);
}

static void helpers(int threads, int rounds)
{
    omp_set_dynamic(0);
    for (int round = 0; round < rounds; round++) {
        int here = 0, met[9] = {0};
        /* The end of the region: all members are needed, the creator among them. */
#pragma omp parallel num_threads(threads)
        {
            if (omp_get_thread_num() == 0) {
                come_late(&here, threads - 1, round);
                partners(threads, &met[0]);
            } else {
                count_up(&here);
            }
        }
        CHECK(met[0] == threads);
        /* The creator is not the master, and does not reach the end before the others have met. */
        here = 0;
#pragma omp parallel num_threads(threads)
        {
            if (omp_get_thread_num() == threads - 1) {
                come_late(&here, threads - 1, round);
                partners(threads - 1, &met[1]);
                wait_until(&met[1], threads - 1);
            } else {
                count_up(&here);
            }
        }
        CHECK(met[1] == threads - 1);
        /* Other barriers, twice in one region. */
        here = 0;
#pragma omp parallel num_threads(threads)
        {
#pragma omp single
            {
                partners(threads - 1, &met[2]);
                wait_until(&met[2], threads - 1);
            }
            if (omp_get_thread_num() == 0) {
                come_late(&here, threads - 1, round);
                partners(threads - 1, &met[3]);
                wait_until(&met[3], threads - 1);
            } else {
                count_up(&here);
            }
#pragma omp barrier
#pragma omp single nowait
            partners(threads, &met[4]);
#pragma omp barrier
            /* A taskwait's thread takes its children while the others help. */
#pragma omp single
            {
                partners(threads, &met[5]);
#pragma omp taskwait
                CHECK(look(&met[5]) == threads);
#pragma omp taskgroup
                partners(threads, &met[6]);
                CHECK(look(&met[6]) == threads);
            }
            /* Each creates one, and all have to meet. First they meet outside the runtime: a thread that is still in
               the barrier above may take a task before it creates its own. */
            meet(&met[8], threads);
#pragma omp task shared(met)
            meet(&met[7], threads);
        }
        for (int i = 2; i < 8; i++)
            CHECK(met[i] == threads - (i == 2 || i == 3));
    }
}
