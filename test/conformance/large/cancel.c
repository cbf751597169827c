/* Cancellation in a team of 48 threads, some of which wait at a barrier: they leave it, and the next region is not
 * affected. A cancelled loop ends at its own end.
 *
 * symbols: GOMP_cancel GOMP_barrier_cancel
 * env: OMP_NUM_THREADS=48 OMP_CANCELLATION=true
 * limit: 60
 */
#include <omp.h>

#include "../common.h"

enum { THREADS = 48 };

static void cancelled_region(int round)
{
    int waiting = 0, beyond = 0;
#pragma omp parallel
    {
        int me = omp_get_thread_num();
        if (me == round % THREADS) {
            int here;
            do {
#pragma omp atomic read
                here = waiting;
            } while (here < THREADS / 2);
#pragma omp cancel parallel
        } else {
#pragma omp atomic
            waiting++;
#pragma omp barrier
#pragma omp atomic
            beyond++;
        }
    }
    CHECK(waiting == THREADS - 1 && beyond == 0);
}

static void cancelled_loop(void)
{
    int done = 0, after = 0;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int i = 0; i < 10 * THREADS; i++) {
#pragma omp cancel for if (i == 0)
#pragma omp atomic
            done++;
#pragma omp cancellation point for
        }
#pragma omp for reduction(+ : after)
        for (int i = 0; i < 10 * THREADS; i++)
            after++;
    }
    /* The thread that cancels leaves its ten iterations. */
    CHECK(done <= 10 * THREADS - 10 && after == 10 * THREADS);
}

static void whole_region(void)
{
    int before = 0, late = 0;
#pragma omp parallel reduction(+ : late)
    {
#pragma omp atomic
        before++;
#pragma omp barrier
        late += before != THREADS;
    }
    CHECK(before == THREADS && late == 0);
}

int main(void)
{
    for (int round = 0; round < 20; round++) {
        cancelled_region(round);
        whole_region();
        cancelled_loop();
        whole_region();
    }
    return 0;
}
