/* A nest lock that a task holds is not another task's, also where a thread runs a taskloop's tasks one after the other
   inside of the holder. Each of them takes a lock of its own twice.
   ghcomp-only: libomp gives nest locks to threads, as ours does for clang's code */
#include <omp.h>

#include "../common.h"

enum { TASKS = 50 };

static void loop(int condition)
{
    omp_nest_lock_t lock;
    int refused = 0;
    omp_init_nest_lock(&lock);
    omp_set_nest_lock(&lock);
#pragma omp taskloop grainsize(1) if (condition) shared(lock, refused)
    for (int i = 0; i < TASKS; i++) {
        omp_nest_lock_t own;
        omp_init_nest_lock(&own);
        CHECK(omp_test_nest_lock(&own) == 1 && omp_test_nest_lock(&own) == 2);
        omp_unset_nest_lock(&own);
        omp_unset_nest_lock(&own);
        omp_destroy_nest_lock(&own);
        if (omp_test_nest_lock(&lock) == 0) {
#pragma omp atomic
            refused++;
        }
    }
    omp_unset_nest_lock(&lock);
    omp_destroy_nest_lock(&lock);
    CHECK(refused == TASKS);
}

int main(void)
{
    omp_set_dynamic(0);
    loop(1);
    loop(0);
    for (int threads = 1; threads <= 5; threads += 2)
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
        loop(1);
        loop(0);
    }
    return 0;
}
