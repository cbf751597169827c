/* Team sizes that change on every region are exact, and no thread is created after the largest team.
   ghcomp-only: libgomp destroys and creates threads when a team's size changes
   symbols: GOMP_parallel */
#include <omp.h>
#include <pthread.h>

#include "../common.h"

int main(void)
{
    pthread_t first_handles[8] = {0};
    int threads_at_most = 0;
    omp_set_dynamic(0);
    for (int pass = 0; pass < 200; pass++) {
        int size = pass == 0 ? 8 : 1 + (pass * 5) % 8;
        int seen[8] = {0};
        pthread_t handles[8];
#pragma omp parallel num_threads(size)
        {
            seen[omp_get_thread_num()]++;
            handles[omp_get_thread_num()] = pthread_self();
            if (omp_get_num_threads() != size)
                seen[0] = 1000;
        }
        for (int i = 0; i < 8; i++)
            CHECK(seen[i] == (i < size));
        if (pass == 0) {
            memcpy(first_handles, handles, sizeof handles);
            threads_at_most = os_threads();
        }
        /* No other master takes workers here, so a thread number keeps its OS thread. */
        for (int i = 0; i < size; i++)
            CHECK(pthread_equal(first_handles[i], handles[i]));
        CHECK(os_threads_at_most(threads_at_most));
    }
    return 0;
}
