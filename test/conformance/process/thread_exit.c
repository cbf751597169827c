/* Threads that end while they keep a hot team: their workers serve the next masters, so their number does not grow.
   ghcomp-only: the number of threads of libgomp depends on when its own come to their end
   symbols: GOMP_parallel */
#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include "../common.h"

static void *master(void *unused)
{
    (void)unused;
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
    int sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
    {
        int inner = 0;
#pragma omp parallel num_threads(2) reduction(+ : inner)
        inner += 1;
        sum += inner;
    }
    CHECK(sum == 8);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < 100; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, master, NULL) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
        /* main, 3 workers of the outer team, one of each inner team. pthread_join may return before the kernel has
           released the thread; if more of them stay, the test runs into its time limit. */
        while (os_threads() > 1 + 3 + 4)
            sched_yield();
    }
    return 0;
}
