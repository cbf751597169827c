/* Tasks of a mutexinoutset run in the order in which they were made, also where one of them has to wait for something
 * else: libgomp makes no difference between mutexinoutset and inout, and a sum of floating-point numbers shows it.
 * (Clang's code has no such order, as on libomp.)
 *
 * hosts: posix ghc
 * symbols: GOMP_task GOMP_taskwait_depend
 */
#include "order.h"

enum { ROUNDS = 50, TASKS = 24 };

static double value(int i)
{
    return (i % 2 == 0 ? 1e16 : -1e16) + i / 7.0;
}

static double sum_of(int threads, int objects)
{
    double sum = 0;
    int x = 0, y = 0, next = 0;
    omp_depend_t object;
    (void)x, (void)y;
#pragma omp depobj(object) depend(mutexinoutset : x)
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
#pragma omp task depend(out : y)
        order_work(20000);
        for (int i = 0; i < TASKS; i++) {
            if (i == 0) {
#pragma omp task depend(in : y) depend(mutexinoutset : x) firstprivate(i) shared(sum, next)
                {
                    CHECK(next++ == i);
                    sum += value(i);
                }
            } else if (objects) {
#pragma omp task depend(depobj : object) firstprivate(i) shared(sum, next)
                {
                    CHECK(next++ == i);
                    sum += value(i);
                }
            } else {
#pragma omp task depend(mutexinoutset : x) firstprivate(i) shared(sum, next)
                {
                    CHECK(next++ == i);
                    sum += value(i);
                }
            }
        }
        /* It waits for all of them, although each holds the set for itself. */
#pragma omp taskwait depend(depobj : object)
        CHECK(next == TASKS);
    }
#pragma omp depobj(object) destroy
    return sum;
}

int main(void)
{
    double expected = 0;
    for (int i = 0; i < TASKS; i++)
        expected += value(i);
    for (int round = 0; round < ROUNDS; round++)
        CHECK(sum_of(1 + round % 8, round & 1) == expected);
    return 0;
}
