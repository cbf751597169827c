/* Members that wait for the values of a single with copyprivate run the tasks that it makes, and copy when those are
   complete.
   symbols: GOMP_single_copy_start GOMP_single_copy_end */
#include <omp.h>

#include "../common.h"
#include "../gate.h"

struct result {
    int number[16];
};

/* Both compilers pass it by its address, so that the tasks may still write it. */
static void values_of_tasks(int threads)
{
#pragma omp parallel num_threads(threads)
    for (int round = 1; round <= 50; round++) {
        struct result result = {{0}};
#pragma omp single copyprivate(result)
        for (int i = 0; i < 16; i++)
#pragma omp task shared(result)
            result.number[i] = round + i;
        for (int i = 0; i < 16; i++)
            CHECK(result.number[i] == round + i);
    }
}

/* Each task waits until the others have begun, so as many threads are needed. */
static void tasks_that_meet(int threads)
{
    int met = 0;
#pragma omp parallel num_threads(threads)
    {
        int result = 0;
#pragma omp single copyprivate(result)
        {
            for (int i = 0; i < threads; i++)
#pragma omp task shared(met)
                meet(&met, threads);
#pragma omp taskwait
            result = met;
        }
        CHECK(result == threads);
    }
}

int main(void)
{
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 5; threads++) {
        values_of_tasks(threads);
        tasks_that_meet(threads);
    }
    return 0;
}
