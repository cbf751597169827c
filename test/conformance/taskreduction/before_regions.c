/* The same, followed by regions with tasks, and again.
   ghcomp-only: libgomp 12 hangs at the end of any region with tasks that follows a task reduction outside regions
   symbols: GOMP_taskgroup_reduction_register GOMP_parallel GOMP_task */
#include "orphaned.h"

int main(void)
{
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 8; threads *= 2) {
        for (int pass = 0; pass < 20; pass++) {
            int count = 0, sum = 0;
            orphaned();
#pragma omp parallel num_threads(threads) reduction(task, + : sum)
            {
#pragma omp task shared(count)
                __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
#pragma omp task in_reduction(+ : sum)
                sum++;
            }
            CHECK(count == threads && sum == threads);
        }
    }
    return 0;
}
