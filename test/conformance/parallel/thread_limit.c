/* OMP_THREAD_LIMIT: a limit on the threads of one contention group, nested regions included, not on the process.
   env: OMP_THREAD_LIMIT=6
   ghcomp-only: libgomp's count differs when several initial threads have regions at once
   symbols: omp_get_thread_limit GOMP_parallel */
#include <omp.h>
#include <pthread.h>

#include "../common.h"

static void *group(void *unused)
{
    (void)unused;
    for (int pass = 0; pass < 50; pass++) {
        int size = 0, inner = 0;
#pragma omp parallel num_threads(20)
        {
#pragma omp single
            size = omp_get_num_threads();
        }
        CHECK(size == 6);
#pragma omp parallel num_threads(3) reduction(+ : inner)
        {
#pragma omp parallel num_threads(3)
            {
#pragma omp single
                inner += omp_get_num_threads();
            }
        }
        /* Three outer threads leave three more to share: between 3 inner teams of one and 3 + 3 threads. */
        CHECK(inner >= 3 && inner <= 6);
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
