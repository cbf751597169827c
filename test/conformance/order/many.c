/* As many tasks as libgomp lets wait, one more than 64 for each member, wait while their maker goes on, and then start
 * in the order in which it made them: also where that is more than libomp's limit of 256 tasks of one maker, and in
 * larger and smaller teams one after the other.
 *
 * hosts: posix ghc
 * limit: 60
 * symbols: GOMP_task GOMP_barrier
 */
#include "order.h"

enum { ROUNDS = 12 };

static void wait_all(int threads, int much)
{
    int count = 64 * threads + 1, made = 0, early = 0;
#pragma omp parallel num_threads(threads)
    {
#pragma omp single nowait
        {
            for (int i = 0; i < count; i++) {
#pragma omp task firstprivate(i) shared(made, early)
                {
                    int all;
#pragma omp atomic read
                    all = made;
                    if (!all) {
#pragma omp atomic
                        early++;
                    }
                    order_see(i);
                    order_work(much);
                }
            }
            open_gate(&made);
        }
        wait_for(&made);
    }
    CHECK(early == 0);
    order_rises(count);
}

int main(void)
{
    static const int sizes[] = {2, 8, 3, 5, 16, 4, 6, 2};
    omp_set_dynamic(0);
    for (int round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
            wait_all(sizes[i], round % 3 == 0 ? 0 : round % 3 == 1 ? 200 : 2000);
    return 0;
}
