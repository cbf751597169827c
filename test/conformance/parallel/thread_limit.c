/* OMP_THREAD_LIMIT: a limit on the threads of one contention group, nested regions included, not on the process.
   env: OMP_THREAD_LIMIT=6
   ghcomp-only: libgomp's count differs when several initial threads have regions at once
   symbols: omp_get_thread_limit GOMP_parallel */
#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include "../common.h"

static void *group(void *unused)
{
    (void)unused;
    for (int pass = 0; pass < 50; pass++) {
        int size = 0;
#pragma omp parallel num_threads(20)
        {
#pragma omp single
            size = omp_get_num_threads();
        }
        CHECK(size == 6);
        int now = 0, most = 0;
#pragma omp parallel num_threads(3) reduction(max : most)
        {
#pragma omp parallel num_threads(3) reduction(max : most)
            {
                int seen;
#pragma omp atomic capture
                seen = ++now;
                if (seen > most)
                    most = seen;
                sched_yield();
#pragma omp atomic
                now--;
            }
        }
        /* Three outer threads leave three more to share among the inner teams that run at the same time. */
        CHECK(most >= 1 && most <= 6);
    }
    return NULL;
}

int main(void)
{
    CHECK(omp_get_thread_limit() == 6);
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
    group(NULL);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, group, NULL) == 0);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    return 0;
}
