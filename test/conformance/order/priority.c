/* A task with a priority that another thread releases starts before tasks without one that were ready earlier.
 *
 * hosts: posix ghc
 * env: OMP_MAX_TASK_PRIORITY=5
 * symbols: GOMP_task
 */
#include "order.h"

enum { EACH = 20, ROUNDS = 50 };

int main(void)
{
    omp_set_dynamic(0);
    for (int round = 0; round < ROUNDS; round++) {
        int made = 0, started = 0, x = 0;
        (void)x;
#pragma omp parallel num_threads(2)
#pragma omp single nowait
        {
#pragma omp task depend(out : x) shared(made)
            wait_for(&made);
            for (int i = 0; i < EACH; i++) {
#pragma omp task firstprivate(i)
                order_see(1 + i);
            }
#pragma omp task depend(in : x) priority(5) shared(started)
            {
                order_see(0);
                open_gate(&started);
            }
            open_gate(&made);
            wait_for(&started); /* until then the other thread alone runs tasks */
        }
        order_rises(1 + EACH);
    }
    return 0;
}
