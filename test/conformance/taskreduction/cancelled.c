/* Task reductions of a taskgroup that is cancelled: what its tasks have added until then counts, in each list item, and
 * a group after it has reductions as ever.
 *
 * env: OMP_CANCELLATION=true
 * hosts: posix ghc
 * symbols: GOMP_taskgroup_reduction_register GOMP_taskgroup_reduction_unregister GOMP_cancel GOMP_taskgroup_end
 */
#include <omp.h>

#include "../common.h"
#include "../gate.h"

enum { TASKS = 30, PARTS = 4, ROUNDS = 200 };

static void round_with(int threads, int which)
{
    long sum = 5, parts[PARTS] = {0};
    int began = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : sum, parts)
        for (int i = 0; i < TASKS; i++) {
#pragma omp task in_reduction(+ : sum, parts) firstprivate(i)
            {
                count_up(&began);
                sum += 1;
                parts[i % PARTS] += 2;
                if (i == which) {
#pragma omp cancel taskgroup
                }
            }
        }
        long all = 0;
        for (int i = 0; i < PARTS; i++)
            all += parts[i];
        CHECK(began >= 1 && began <= TASKS && sum == 5 + began && all == 2 * began);
#pragma omp taskgroup task_reduction(+ : sum)
        for (int i = 0; i < TASKS; i++) {
#pragma omp task in_reduction(+ : sum)
            sum += 100;
        }
        CHECK(sum == 5 + began + 100 * TASKS);
    }
}

int main(void)
{
    CHECK(omp_get_cancellation());
    for (int round = 0; round < ROUNDS; round++)
        round_with(1 + round % 8, round % TASKS);
    return 0;
}
