/* GCC 17's cancellable barrier: members that wait or sleep in it leave it when the region is cancelled, later ones pass
   it; a cancelled worksharing construct ends in it; what follows is not cancelled.
   ghcomp-only: libgomp 12 lacks this entry
   env: OMP_CANCELLATION=true
   env: OMP_WAIT_POLICY=passive
   limit: 60
   symbols: GOMP_barrier_cancel_ext GOMP_cancel GOMP_cancellation_point */
#include "trunk.h"

#include <sched.h>

/* What cancel names. */
enum { PARALLEL = 1, LOOP = 2 };

bool GOMP_cancel(int which, bool do_cancel);
bool GOMP_cancellation_point(int which);
static bool (*GOMP_barrier_cancel_ext)(int kind);

static int arrived, left_early;

/* As the compiler's code: true means on to the end of the region. */
static void cancelled_region(int threads, int kind)
{
    int me = omp_get_thread_num();
    if (me == 0) {
        int seen;
        do {
            sched_yield();
#pragma omp atomic read
            seen = arrived;
        } while (seen < threads / 2);
        CHECK(GOMP_cancel(PARALLEL, true));
    } else if (me <= threads / 2) {
#pragma omp atomic
        arrived++;
    } else {
        while (!GOMP_cancellation_point(PARALLEL))
            sched_yield();
    }
    bool left = GOMP_barrier_cancel_ext(kind);
#pragma omp atomic
    left_early += left;
}

/* The end of a cancelled loop is a barrier that every member passes with false, and that forgets the cancellation. */
static void cancelled_loop(int *executed)
{
    for (int i = 0; i < 10; i++) {
        if (GOMP_cancellation_point(LOOP))
            break;
#pragma omp atomic
        *executed += 1;
        if (i == 2 && GOMP_cancel(LOOP, true))
            break;
    }
    CHECK(!GOMP_barrier_cancel_ext(OF_WORKSHARING));
    CHECK(!GOMP_cancellation_point(LOOP));
    CHECK(!GOMP_barrier_cancel_ext(OF_DIRECTIVE));
}

int main(void)
{
    GOMP_barrier_cancel_ext = (bool (*)(int))entry("GOMP_barrier_cancel_ext");
    CHECK(omp_get_cancellation());
    omp_set_dynamic(0);
    for (int i = 0; i < TEAM_SIZES; i++) {
        int threads = team_sizes[i];
        for (int round = 0; round < 60; round++) {
            int executed = 0, whole = 0;
            arrived = left_early = 0;
#pragma omp parallel num_threads(threads)
            cancelled_region(threads, round % 3);
            CHECK(left_early == threads);
#pragma omp parallel num_threads(threads)
            {
                cancelled_loop(&executed);
#pragma omp atomic
                whole++;
                CHECK(!GOMP_barrier_cancel_ext(OF_DIRECTIVE));
                int seen;
#pragma omp atomic read
                seen = whole;
                CHECK(seen == threads);
            }
            CHECK(executed >= 3 && executed <= 3 * threads);
        }
    }
    return 0;
}
