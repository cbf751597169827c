/* cancel for: loops that would never end by themselves end, under every schedule; the constructs after them are
   executed completely.
   limit: 60
   env: OMP_CANCELLATION=true
   symbols: GOMP_cancel GOMP_cancellation_point GOMP_loop_end_cancel GOMP_barrier_cancel */
#include <omp.h>

#include "../common.h"

#define ENDLESS (1L << 60)

static int count, sums[7];

static void complete(int *sum)
{
#pragma omp for schedule(dynamic, 2) reduction(+ : sum[:1]) nowait
    for (int i = 0; i < 64; i++)
        sum[0]++;
#pragma omp for schedule(static) reduction(+ : sum[:1])
    for (int i = 0; i < 64; i++)
        sum[0]++;
}

/* In each loop a few iterations cancel; the others only have a cancellation point. */
#define CANCELLED(clause, type, number)                                  \
    _Pragma(clause) for (type i = 0; i < ENDLESS; i++)                   \
    {                                                                    \
        int mine;                                                        \
        _Pragma("omp atomic capture") mine = ++count;                    \
        if (mine == 20) {                                                \
            _Pragma("omp cancel for")                                    \
        }                                                                \
        _Pragma("omp cancellation point for")                            \
    }                                                                    \
    _Pragma("omp single") count = 0;                                     \
    complete(&sums[number])

/* Orphaned: the loop's team is its caller's, here one of one thread. */
static int orphaned(void)
{
    int executed = 0;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 1000; i++) {
        executed++;
#pragma omp cancel for if (i == 10)
    }
#pragma omp for
    for (int i = 0; i < 1000; i++) {
        executed++;
#pragma omp cancel for if (i == 10)
    }
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 1000; i++) {
        executed++;
#pragma omp cancellation point for
    }
    return executed;
}

int main(void)
{
    omp_set_dynamic(0);
    omp_set_schedule(omp_sched_guided, 1);
    for (int threads = 1; threads <= 9; threads++) {
        memset(sums, 0, sizeof sums);
#pragma omp parallel num_threads(threads)
        {
            CANCELLED("omp for schedule(dynamic)", long, 0);
            CANCELLED("omp for schedule(static)", long, 1);
            CANCELLED("omp for schedule(guided)", long, 2);
            CANCELLED("omp for schedule(static, 3)", long, 3);
            CANCELLED("omp for schedule(runtime)", long, 4);
            CANCELLED("omp for schedule(dynamic, 5)", unsigned long, 5);
        }
        for (int i = 0; i < 6; i++)
            CHECK(sums[i] == 128);
        CHECK(orphaned() == 1022);
    }
    return 0;
}
