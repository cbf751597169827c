/* A target region uses the encountering thread's workers: no more threads are made, however often and deeply regions
   nest.
   ghcomp-only: libgomp creates and ends threads for each
   symbols: GOMP_target_ext */
#include <omp.h>

#include "../common.h"

static void parallel(int threads)
{
    int seen = 0;
#pragma omp parallel num_threads(threads) reduction(+ : seen)
    seen++;
    CHECK(seen == threads);
}

int main(void)
{
    parallel(4);
    int before = os_threads();
    for (int i = 0; i < 50; i++) {
#pragma omp target
        {
            parallel(4);
            parallel(1);
            parallel(3);
            parallel(4);
        }
        parallel(4);
    }
    CHECK(os_threads_at_most(before));
#pragma omp target
    {
        parallel(2);
        CHECK(omp_pause_resource_all(omp_pause_soft) == 0);
    }
    parallel(4);
    CHECK(os_threads_at_most(before));
    return 0;
}
