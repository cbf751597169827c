/* A member that is still in an earlier nowait loop, at a cancellation point there, is not stopped by the cancellation
   of the loop that the others are in already.
   ghcomp-only: libgomp keeps one flag for the team and stops the earlier loop too
   limit: 60
   env: OMP_CANCELLATION=true
   symbols: GOMP_cancel GOMP_cancellation_point */
#include <omp.h>
#include <sched.h>
#include <stdbool.h>

#include "../common.h"

bool GOMP_cancellation_point(int);

static int late_is_in, looks, cancelled;

static void wait_for(int *gate)
{
    int open;
    do {
#pragma omp atomic read
        open = *gate;
        sched_yield();
    } while (!open);
}

static void open_gate(int *gate)
{
#pragma omp atomic write
    *gate = 1;
}

int main(void)
{
    int done[3] = {0};
    omp_set_dynamic(0);
#pragma omp parallel num_threads(3)
    {
        int me = omp_get_thread_num();
#pragma omp for schedule(dynamic) nowait
        for (int i = 0; i < 3; i++) {
            if (me == 0) {
                open_gate(&late_is_in);
                wait_for(&cancelled);
            } else {
                wait_for(&late_is_in);
            }
            /* Called directly: GCC drops the cancellation points of nowait loops, other compilers need not. */
            if (GOMP_cancellation_point(2))
                continue;
#pragma omp atomic
            done[i]++;
        }
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 2; i++) {
            if (i == 0) {
                wait_for(&looks);
#pragma omp cancel for
            } else {
                open_gate(&looks);
                while (!GOMP_cancellation_point(2))
                    sched_yield();
                open_gate(&cancelled);
            }
        }
    }
    CHECK(done[0] == 1 && done[1] == 1 && done[2] == 1);
    return 0;
}
