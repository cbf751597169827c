/* cancel parallel discards the team's tasks that have not started; tasks that run react at their cancellation points
   for their own construct only. Later regions are not affected.
   limit: 60
   env: OMP_CANCELLATION=true
   symbols: GOMP_cancel GOMP_barrier_cancel GOMP_task GOMP_parallel */
#include <omp.h>

#include "../common.h"
#include "../gate.h"

enum { CANCEL_PARALLEL = 1 };
extern bool GOMP_cancel(int which, bool do_cancel);

int main(void)
{
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 8; threads *= 2) {
        for (int pass = 0; pass < 30; pass++) {
            int created = 0, executed = 0, after = 0, running = 0, late = 0, whole = 0;
#pragma omp parallel num_threads(threads)
            {
                int me = omp_get_thread_num();
                for (int i = 0; i < 10; i++) {
#pragma omp task shared(executed)
                    count_up(&executed);
                    count_up(&created);
                }
                if (me == 0) {
                    wait_until(&created, 10 * threads);
                    /* One that is running goes on to its end. */
#pragma omp task shared(running) if (0)
                    running = 1;
#pragma omp cancel parallel
                    after = 1;
                } else {
                    /* Nobody comes to a barrier before the cancellation, so nobody runs a task of the others. */
                    wait_until(&created, 10 * threads);
                    for (;;) {
#pragma omp cancellation point parallel
                        sched_yield();
                    }
                }
#pragma omp barrier
                after = 2;
            }
            /* A thread without others may run its tasks where it makes them. */
            CHECK(after == 0 && running == 1 && (threads == 1 || executed == 0));
            /* Created after the cancellation, which a thread leaves the region for by itself: never executed. */
#pragma omp parallel num_threads(threads)
            {
                bool cancelled = GOMP_cancel(CANCEL_PARALLEL, true);
                CHECK(cancelled);
#pragma omp task shared(late)
                count_up(&late);
            }
            CHECK(late == 0);
#pragma omp parallel num_threads(threads)
            {
#pragma omp task shared(whole)
                count_up(&whole);
#pragma omp barrier
#pragma omp task shared(whole)
                count_up(&whole);
#pragma omp cancellation point parallel
            }
            CHECK(whole == 2 * threads);
        }
    }
    return 0;
}
