/* Loops of all schedules, sections, single, masked, reductions, ordered and doacross loops: begin and end, in both
 * compilers' code as far as they call the runtime. */
#include "record.h"

enum { THREADS = 3, COUNT_OF = 60, TIMES = 10 };

static void at_finalize(void)
{
}

static _Atomic int done[COUNT_OF];

static void run(void)
{
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp for schedule(dynamic, 4)
        for (int i = 0; i < COUNT_OF; i++)
            done[i]++;
#pragma omp for schedule(guided) nowait
        for (int i = 0; i < COUNT_OF; i++)
            done[i]++;
#pragma omp for schedule(static)
        for (int i = 0; i < COUNT_OF; i++)
            done[i]++;
#pragma omp sections
        {
            done[0]++;
#pragma omp section
            done[1]++;
        }
#pragma omp single
        done[0]++;
#pragma omp single nowait
        done[0]++;
#pragma omp barrier
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < THREADS; i++)
#pragma omp ordered
            done[i]++;
#pragma omp masked filter(1)
        done[0]++;
    }
#pragma omp parallel for num_threads(THREADS) schedule(dynamic)
    for (int i = 0; i < COUNT_OF; i++)
        done[i]++;
    int sum = 0;
#pragma omp parallel for num_threads(THREADS) reduction(+ : sum)
    for (int i = 0; i < COUNT_OF; i++)
        sum += i;
    CHECK(sum == COUNT_OF * (COUNT_OF - 1) / 2);
}

int main(void)
{
    for (int i = 0; i < TIMES; i++)
        run();
    for (int kind = ompt_work_loop; kind <= ompt_work_loop_other; kind++)
        CHECK(COUNT(WORK_BEGIN + kind) == COUNT(WORK_END + kind));
    CHECK(COUNT(WORK_BEGIN + ompt_work_loop_dynamic) >= 2 * THREADS * TIMES);
    CHECK(COUNT(WORK_BEGIN + ompt_work_loop_guided) == THREADS * TIMES);
    CHECK(COUNT(WORK_BEGIN + ompt_work_sections) == THREADS * TIMES);
    CHECK(COUNT(WORK_BEGIN + ompt_work_single_executor) == 2 * TIMES);
    CHECK(COUNT(WORK_BEGIN + ompt_work_single_other) == 2 * (THREADS - 1) * TIMES);
    CHECK(COUNT(DISPATCH + ompt_dispatch_ws_loop_chunk) >= (COUNT_OF / 4 + THREADS) * TIMES);
    CHECK(COUNT(DISPATCH + ompt_dispatch_section) >= 2 * TIMES);
    CHECK(COUNT(MUTEX_TAKEN + ompt_mutex_ordered) == THREADS * TIMES);
    CHECK(COUNT(MUTEX_GIVEN + ompt_mutex_ordered) == THREADS * TIMES);
    CHECK(COUNT(REDUCTION_BEGIN) == COUNT(REDUCTION_END));
#ifdef __clang__
    CHECK(COUNT(MASKED_BEGIN) == TIMES && COUNT(MASKED_END) == TIMES);
    CHECK(COUNT(WORK_BEGIN + ompt_work_loop_static) == 2 * THREADS * TIMES);
    CHECK(COUNT(SYNC_BEGIN + ompt_sync_region_barrier_explicit) == THREADS * TIMES);
    CHECK(COUNT(SYNC_BEGIN + ompt_sync_region_barrier_implicit_workshare) >= 5 * THREADS * TIMES);
#else
    CHECK(COUNT(SYNC_BEGIN + ompt_sync_region_barrier_explicit) +
              COUNT(SYNC_BEGIN + ompt_sync_region_barrier_implicit_workshare) >= 5 * THREADS * TIMES);
#endif
    return 0;
}
