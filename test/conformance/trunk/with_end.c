/* What GCC 17 emits for -fopenmp-ompt in place of its other entries: loops, distribute, single, scope and masked
   regions that tell their end; and reductions, which it emits without that option, too. The calls come in the order in
   which the snapshot of 20 October 2026 makes them: a construct's end behind its barrier.
   ghcomp-only: libgomp 12 lacks these entries
   symbols: GOMP_loop_static_worksharing_start GOMP_loop_static_worksharing_dispatch GOMP_loop_static_worksharing_end
   symbols: GOMP_distribute_static_worksharing_start GOMP_distribute_static_worksharing_dispatch
   symbols: GOMP_distribute_static_worksharing_end GOMP_single_start_with_end GOMP_single_end GOMP_scope_start_with_end
   symbols: GOMP_scope_end GOMP_has_masked_thread_num_with_end GOMP_masked_end GOMP_reduction_start
   symbols: GOMP_reduction_end */
#include "trunk.h"

#include <limits.h>

#define ENTRIES(X)                                                                                         \
    X(_Complex int, GOMP_loop_static_worksharing_start, (unsigned long long))                              \
    X(void, GOMP_loop_static_worksharing_dispatch, (unsigned long long, unsigned long long))               \
    X(void, GOMP_loop_static_worksharing_end, (void))                                                      \
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
    X(void, GOMP_barrier_ext, (int))
#define DECLARE(result, name, arguments) static result(*name) arguments;
#define FIND(result, name, arguments) name = (result(*) arguments)entry(#name);
ENTRIES(DECLARE)

enum { MOST = 1001, ROUNDS = 200 };
static int hits[MOST];

/* The caller's part of a loop, as the compiled code computes it. */
static void execute(_Complex int share, int count, int number, int niter)
{
    CHECK(__real__ share == count && __imag__ share == number);
    int each = niter / count, more = niter % count;
    int begin = number * each + (number < more ? number : more);
    for (int i = begin; i < begin + each + (number < more); i++)
#pragma omp atomic
        hits[i]++;
}

static void each_was_hit(int niter, int times)
{
    for (int i = 0; i < MOST; i++) {
        CHECK(hits[i] == (i < niter ? times : 0));
        hits[i] = 0;
    }
}

static void loop(int threads, int niter)
{
#pragma omp parallel num_threads(threads)
    {
        execute(GOMP_loop_static_worksharing_start((unsigned)niter), threads, omp_get_thread_num(), niter);
        GOMP_barrier_ext(OF_WORKSHARING);
        GOMP_loop_static_worksharing_end();
        /* With nowait, and with a chunk that is told. */
        execute(GOMP_loop_static_worksharing_start((unsigned)niter), threads, omp_get_thread_num(), niter);
        GOMP_loop_static_worksharing_dispatch(0, (unsigned)niter);
        GOMP_loop_static_worksharing_end();
    }
    each_was_hit(niter, 2);
}

/* A function, because only some constructs may stand directly in a teams construct. */
static void team_of_league(int niter, int teams)
{
    execute(GOMP_distribute_static_worksharing_start((unsigned)niter), teams, omp_get_team_num(), niter);
    GOMP_distribute_static_worksharing_dispatch(0, 1);
    GOMP_distribute_static_worksharing_end();
}

static void single(int threads)
{
    int executed = 0, wide = 0;
#pragma omp parallel num_threads(threads)
    for (int round = 0; round < ROUNDS; round++) {
        if (GOMP_single_start_with_end())
            executed++;
        GOMP_barrier_ext(OF_WORKSHARING);
        GOMP_single_end();
        CHECK(executed == round + 1);
        GOMP_barrier_ext(OF_DIRECTIVE);
        if (GOMP_single_start_with_end()) {
#pragma omp atomic
            wide++;
        }
        GOMP_single_end();
    }
    CHECK(executed == ROUNDS && wide == ROUNDS);
}

static void masked(int threads)
{
    for (int filter = -1; filter <= threads; filter++) {
        int who = -1;
#pragma omp parallel num_threads(threads)
        if (GOMP_has_masked_thread_num_with_end(filter)) {
#pragma omp atomic
            who += 1 + omp_get_thread_num();
            GOMP_masked_end();
        }
        CHECK(who == (filter < threads ? filter : -1));
    }
    CHECK(!GOMP_has_masked_thread_num_with_end(INT_MIN) && !GOMP_has_masked_thread_num_with_end(INT_MAX));
}

static void reduction(int threads)
{
    long sum = 0;
    volatile double wide = 0;
#pragma omp parallel num_threads(threads)
    for (int round = 0; round < ROUNDS; round++) {
        GOMP_scope_start_with_end(NULL);
        GOMP_reduction_start();
        sum += round;
        wide += 1;
        GOMP_reduction_end();
        GOMP_scope_end();
    }
    CHECK(sum == (long)threads * ROUNDS * (ROUNDS - 1) / 2 && wide == (double)threads * ROUNDS);
}

int main(void)
{
    static const int sizes[] = {0, 1, 5, 64, MOST};
    ENTRIES(FIND)
    omp_set_dynamic(0);
    /* Outside of regions. */
    execute(GOMP_loop_static_worksharing_start(MOST), 1, 0, MOST);
    GOMP_loop_static_worksharing_end();
    execute(GOMP_distribute_static_worksharing_start(MOST), 1, 0, MOST);
    GOMP_distribute_static_worksharing_end();
    each_was_hit(MOST, 2);
    CHECK(GOMP_single_start_with_end());
    GOMP_single_end();
    CHECK(GOMP_has_masked_thread_num_with_end(0) && !GOMP_has_masked_thread_num_with_end(1));
    GOMP_masked_end();
    for (int i = 0; i < TEAM_SIZES; i++) {
        for (int size = 0; size < 5; size++)
            loop(team_sizes[i], sizes[size]);
        single(team_sizes[i]);
        masked(team_sizes[i]);
        reduction(team_sizes[i]);
    }
#pragma omp teams num_teams(5)
    team_of_league(MOST, 5);
    each_was_hit(MOST, 1);
    return 0;
}
