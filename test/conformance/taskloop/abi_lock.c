/* A nest lock that a task of a taskloop leaves locked does not belong to the next task, also where one thread runs them
   one after the other.
   ghcomp-only: libgomp 12 takes the task's address for the owner, and the next task has the same */
#include <omp.h>

#include "../common.h"

static void loop(int condition)
{
    omp_nest_lock_t lock;
    int taken = 0, refused = 0;
    omp_init_nest_lock(&lock);
#pragma omp taskloop grainsize(1) if (condition) shared(lock, taken, refused)
    for (int i = 0; i < 50; i++) {
        int depth = omp_test_nest_lock(&lock);
        if (depth != 0) {
            CHECK(depth == 1);
            CHECK(omp_test_nest_lock(&lock) == 2);
#pragma omp atomic
            taken++;
        } else {
#pragma omp atomic
            refused++;
        }
    }
    CHECK(taken == 1 && refused == 49);
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
