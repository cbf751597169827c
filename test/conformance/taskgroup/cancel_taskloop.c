/* A taskloop is a taskgroup, and can be cancelled as one; with nogroup, its tasks are of the group around it. Cancelled
   reductions give what was done.
   limit: 60
   env: OMP_CANCELLATION=true
   symbols: GOMP_taskloop GOMP_cancel GOMP_cancellation_point */
#include <omp.h>

#include "../common.h"
#include "../gate.h"

int main(void)
{
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 8; threads *= 2) {
        for (int pass = 0; pass < 20; pass++) {
            int counts[4] = {0}, behind = 0;
            long sum = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
            {
#pragma omp taskloop num_tasks(50)
                for (int i = 0; i < 50; i++) {
                    count_up(&counts[0]);
#pragma omp cancel taskgroup
                    count_up(&behind);
                }
                /* A thread begins no task after the one in which it cancels. libgomp runs many more tasks than these at
                   once, in spite of the cancellation. */
                CHECK(counts[0] >= 1 && counts[0] <= threads && behind == 0);
#pragma omp taskloop num_tasks(50)
                for (int i = 0; i < 1000; i++)
                    count_up(&counts[1]);
                CHECK(counts[1] == 1000);
#pragma omp taskgroup
                {
#pragma omp task if (0)
                    {
#pragma omp cancel taskgroup
                    }
#pragma omp taskloop nogroup num_tasks(10)
                    for (int i = 0; i < 100; i++)
                        count_up(&counts[2]);
                }
                CHECK(counts[2] == 0);
#pragma omp taskloop reduction(+ : sum) num_tasks(20)
                for (int i = 0; i < 100; i++) {
                    sum++;
                    if (i == 50) {
#pragma omp cancel taskgroup
                    }
                }
                /* The task that cancels has five iterations, of which it does the first. */
                CHECK(sum >= 1 && sum <= 96);
                /* A taskloop in a cancelled group has a group of its own, whose tasks belong to both. */
#pragma omp taskgroup
                {
#pragma omp task if (0) shared(counts)
                    {
#pragma omp cancel taskgroup
                    }
#pragma omp task shared(counts)
                    {
#pragma omp taskloop
                        for (int i = 0; i < 10; i++)
                            count_up(&counts[3]);
                    }
                }
                CHECK(counts[3] == 0);
            }
        }
    }
    return 0;
}
