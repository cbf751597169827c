/* 64 threads, whatever the number of CPUs: exact team, barriers, a reduction and a loop in each region.
   limit: 60
   symbols: GOMP_parallel GOMP_barrier */
#include <omp.h>

#include "../common.h"

int main(void)
{
    omp_set_dynamic(0);
    for (int pass = 0; pass < 20; pass++) {
        int phase[64] = {0}, sum = 0;
#pragma omp parallel num_threads(64) reduction(+ : sum)
        {
            int me = omp_get_thread_num();
            CHECK(omp_get_num_threads() == 64);
            for (int step = 1; step <= 5; step++) {
                phase[me] = step;
#pragma omp barrier
                CHECK(phase[(me + 17) % 64] == step);
#pragma omp barrier
            }
#pragma omp for
            for (int i = 0; i < 1000; i++)
                sum += i;
        }
        CHECK(sum == 499500);
    }
    return 0;
}
