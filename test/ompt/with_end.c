/* GCC 17's entries of -fopenmp-ompt, called by hand: loops, distribute, single, scope and masked regions begin and end
 * once on each thread, with a barrier and without one. record.h checks that what ends is what began. What the code does
 * behind a barrier that has ended a construct changes nothing. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "record.h"

enum { THREADS = 3, ITERATIONS = 60, TIMES = 10, OF_WORKSHARING = 1 };

static void at_finalize(void)
{
}

#define ENTRIES(X)                                                                                         \
    X(_Complex int, GOMP_loop_static_worksharing_start, (unsigned long long))                              \
    X(void, GOMP_loop_static_worksharing_dispatch, (unsigned long long, unsigned long long))               \
    X(void, GOMP_loop_static_worksharing_end, (void))                                                      \
    X(_Complex int, GOMP_distribute_static_worksharing, (unsigned long long))                              \
    X(_Complex int, GOMP_distribute_static_worksharing_start, (unsigned long long))                        \
    X(void, GOMP_distribute_static_worksharing_dispatch, (unsigned long long, unsigned long long))         \
    X(void, GOMP_distribute_static_worksharing_end, (void))                                                \
    X(bool, GOMP_single_start_with_end, (void))                                                            \
    X(void, GOMP_single_end, (void))                                                                       \
    X(void, GOMP_scope_start_with_end, (void *))                                                           \
    X(void, GOMP_scope_end, (void))                                                                        \
    X(bool, GOMP_has_masked_thread_num_with_end, (int))                                                    \
    X(void, GOMP_masked_end, (void))                                                                       \
    X(void, GOMP_reduction_start, (void))                                                                  \
    X(void, GOMP_reduction_end, (void))                                                                    \
    X(void, GOMP_taskwait, (void))                                                                         \
    X(bool, GOMP_loop_start, (long, long, long, long, long, long *, long *, void *, void **))              \
    X(void, GOMP_loop_end, (void))                                                                         \
    X(void, GOMP_barrier_ext, (int))
#define DECLARE(result, name, arguments) static result(*name) arguments;
#define FIND(result, name, arguments) CHECK((name = (result(*) arguments)dlsym(RTLD_DEFAULT, #name)) != NULL);
ENTRIES(DECLARE)

static void constructs(void)
{
    GOMP_loop_static_worksharing_start(ITERATIONS);
    GOMP_barrier_ext(OF_WORKSHARING);
    GOMP_loop_static_worksharing_end();
    GOMP_loop_static_worksharing_start(ITERATIONS);
    GOMP_loop_static_worksharing_dispatch(0, 7);
    GOMP_loop_static_worksharing_end();
    if (GOMP_single_start_with_end())
        GOMP_taskwait(); /* ends nothing */
    GOMP_barrier_ext(OF_WORKSHARING);
    GOMP_single_end();
    GOMP_single_start_with_end();
    GOMP_single_end();
    GOMP_scope_start_with_end(NULL);
    GOMP_reduction_start();
    GOMP_reduction_end();
    GOMP_scope_end();
    GOMP_barrier_ext(OF_WORKSHARING);
    if (GOMP_has_masked_thread_num_with_end(1))
        GOMP_masked_end();
    /* A loop that needs memory: the runtime enters it for that, and the code divides it. */
    void *memory = (void *)sizeof(int);
    GOMP_loop_start(0, 1, 1, 0x80000001l, 0, NULL, NULL, NULL, &memory);
    GOMP_loop_static_worksharing_start(ITERATIONS);
    GOMP_loop_end();
}

static void team_of_league(void)
{
    GOMP_distribute_static_worksharing_start(ITERATIONS);
    GOMP_distribute_static_worksharing_dispatch(0, 20);
#pragma omp parallel num_threads(2)
    {
        GOMP_loop_static_worksharing_start(20);
        GOMP_loop_static_worksharing_end();
    }
    GOMP_distribute_static_worksharing_end();
    GOMP_distribute_static_worksharing(ITERATIONS);
}

#define BOTH(kind, times) CHECK(COUNT(WORK_BEGIN + (kind)) == (times) && COUNT(WORK_END + (kind)) == (times))

int main(void)
{
    ENTRIES(FIND)
    for (int i = 0; i < TIMES; i++) {
#pragma omp parallel num_threads(THREADS)
        constructs();
    }
    BOTH(ompt_work_loop_static, 3 * THREADS * TIMES);
    BOTH(ompt_work_single_executor, 2 * TIMES);
    BOTH(ompt_work_single_other, 2 * (THREADS - 1) * TIMES);
    BOTH(ompt_work_scope, THREADS * TIMES);
    CHECK(COUNT(DISPATCH + ompt_dispatch_ws_loop_chunk) == THREADS * TIMES);
    CHECK(COUNT(MASKED_BEGIN) == TIMES && COUNT(MASKED_END) == TIMES);
    CHECK(COUNT(REDUCTION_BEGIN) == THREADS * TIMES && COUNT(REDUCTION_END) == THREADS * TIMES);
    CHECK(COUNT(MUTEX_WAIT + ompt_mutex_atomic) == 0);
    CHECK(COUNT(SYNC_BEGIN + ompt_sync_region_barrier_implicit_workshare) == 4 * THREADS * TIMES);
#pragma omp teams num_teams(2) thread_limit(2)
    team_of_league();
    BOTH(ompt_work_distribute, 4);
    CHECK(COUNT(DISPATCH + ompt_dispatch_distribute_chunk) == 2);
    /* How many threads a team of the league has is not said. */
    CHECK(COUNT(WORK_BEGIN + ompt_work_loop_static) == COUNT(WORK_END + ompt_work_loop_static));
    CHECK(COUNT(WORK_BEGIN + ompt_work_loop_static) >= 3 * THREADS * TIMES + 2);
    return 0;
}
