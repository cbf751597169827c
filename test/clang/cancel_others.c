/* A member that is done with a nowait loop cancels the region while others are still in the loop. They have met no
 * cancellation point, so the loop's reduction has all values, and a sink waits for its source.
 *
 * limit: 60
 * env: OMP_CANCELLATION=true OMP_DYNAMIC=false
 */
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

#include "../conformance/common.h"

enum { MEMBERS = 8, ROUNDS = 5 };

static void reductions(void)
{
    long sum = 0, count = 0;
    double all = 0;
#pragma omp parallel num_threads(MEMBERS)
    {
#pragma omp for reduction(+ : sum, count, all) schedule(static, 1) nowait
        for (int i = 0; i < MEMBERS; i++) {
            sum += 1 << i;
            count++;
            all += i;
            if (i % 4 == 0)
                usleep(3000);
        }
        if (omp_get_thread_num() == MEMBERS - 1) {
#pragma omp cancel parallel
        }
#pragma omp barrier
    }
    CHECK(sum == (1 << MEMBERS) - 1 && count == MEMBERS && all == MEMBERS * (MEMBERS - 1) / 2);
}

static void sinks(void)
{
    enum { LAST = 3 };
    int a[LAST + 1] = {1};
    atomic_int started = 0;
#pragma omp parallel num_threads(LAST + 1)
    {
#pragma omp for ordered(1) schedule(static, 1) nowait
        for (int i = 1; i < LAST + 1; i++) {
#pragma omp ordered depend(sink : i - 1)
            atomic_store(&started, 1);
            if (i == 1)
                usleep(5000);
            a[i] = a[i - 1] * 3;
#pragma omp ordered depend(source)
        }
        if (omp_get_thread_num() == LAST) {
            while (!atomic_load(&started))
                usleep(100);
#pragma omp cancel parallel
        }
#pragma omp barrier
    }
    CHECK(a[1] == 3 && a[2] == 9 && a[3] == 27);
}

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        reductions();
        sinks();
    }
    return 0;
}
