/* Loops that reach the ends of their type: long from LONG_MIN to LONG_MAX, unsigned long from 0 to ULONG_MAX, in huge
   steps; and the first chunks of loops with 2^64 - 1 iterations.
   symbols: GOMP_loop_nonmonotonic_dynamic_start GOMP_loop_ull_nonmonotonic_dynamic_start GOMP_loop_static_start
   symbols: GOMP_loop_ull_static_start */
#include <limits.h>
#include <omp.h>
#include <stdbool.h>

#include "../common.h"

bool GOMP_loop_static_start(long, long, long, long, long *, long *);
bool GOMP_loop_static_next(long *, long *);
bool GOMP_loop_ull_static_start(bool, unsigned long long, unsigned long long, unsigned long long, unsigned long long,
                                unsigned long long *, unsigned long long *);
bool GOMP_loop_ull_static_next(unsigned long long *, unsigned long long *);
void GOMP_loop_end(void);

static const long STEP = LONG_MAX / 50;

static void steps(int threads)
{
    int up = 0, down = 0, wide = 0, guided = 0;
    unsigned long lowest = ULONG_MAX, highest = 0;
#pragma omp parallel num_threads(threads) reduction(+ : up, down, wide, guided) \
    reduction(min : lowest) reduction(max : highest)
    {
#pragma omp for schedule(dynamic, 3)
        for (long i = LONG_MIN; i < LONG_MAX - STEP; i += STEP)
            up++;
#pragma omp for schedule(dynamic)
        for (long i = LONG_MAX; i > LONG_MIN + STEP; i -= STEP)
            down++;
#pragma omp for schedule(dynamic, 7)
        for (unsigned long i = 0; i < ULONG_MAX - STEP; i += (unsigned long)STEP) {
            wide++;
            lowest = i < lowest ? i : lowest;
            highest = i > highest ? i : highest;
        }
#pragma omp for schedule(guided, 2)
        for (unsigned long i = ULONG_MAX; i > (unsigned long)STEP; i -= (unsigned long)STEP)
            guided++;
    }
    int expected = 0;
    for (unsigned long i = 0; i < ULONG_MAX - STEP; i += (unsigned long)STEP)
        expected++;
    CHECK(up == expected && down == expected && wide == expected && guided == expected);
    CHECK(lowest == 0 && highest == (unsigned long)(expected - 1) * STEP);
}

/* 2^64 - 1 iterations in blocks: the blocks follow each other without a gap. */
static void blocks(int threads)
{
    long begin[16], end[16];
    unsigned long long ubegin[16], uend[16];
#pragma omp parallel num_threads(threads)
    {
        int me = omp_get_thread_num();
        long b, e;
        unsigned long long ub, ue;
        CHECK(GOMP_loop_static_start(LONG_MIN, LONG_MAX, 1, 0, &begin[me], &end[me]));
        CHECK(!GOMP_loop_static_next(&b, &e));
        GOMP_loop_end();
        CHECK(GOMP_loop_ull_static_start(false, ULLONG_MAX, 0, -1ull, 0, &ubegin[me], &uend[me]));
        CHECK(!GOMP_loop_ull_static_next(&ub, &ue));
        GOMP_loop_end();
    }
    CHECK(begin[0] == LONG_MIN && end[threads - 1] == LONG_MAX);
    CHECK(ubegin[0] == ULLONG_MAX && uend[threads - 1] == 0);
    for (int i = 1; i < threads; i++)
        CHECK(begin[i] == end[i - 1] && ubegin[i] == uend[i - 1] && begin[i] < end[i] && ubegin[i] > uend[i]);
}

int main(void)
{
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 9; threads++) {
        steps(threads);
        blocks(threads);
    }
    return 0;
}
