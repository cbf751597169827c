/* Loops without directives that gcc makes parallel by itself (-ftree-parallelize-loops), on their own and from within a
   region.
   cflags: -O2 -ftree-parallelize-loops=4 -floop-parallelize-all
   hosts: posix ghc
   symbols: GOMP_parallel GOMP_loop_end_nowait */
#include <omp.h>

#include "../common.h"

enum { SIZE = 100000 };
static double twice[SIZE], given[SIZE];
static int small[SIZE];

static __attribute__((noinline)) void fill(int factor)
{
    for (int i = 0; i < SIZE; i++) {
        given[i] = (double)i * factor;
        small[i] = i & 7;
    }
}

static __attribute__((noinline)) void compute(void)
{
    for (int i = 0; i < SIZE; i++)
        twice[i] = given[i] * 2 + 1;
}

static __attribute__((noinline)) long sum(void)
{
    long all = 0;
    for (int i = 0; i < SIZE; i++)
        all += small[i];
    return all;
}

int main(void)
{
    for (int round = 1; round < 20; round++) {
        fill(round);
        compute();
        for (int i = 0; i < SIZE; i += 999)
            CHECK(twice[i] == 2.0 * i * round + 1);
        CHECK(sum() == 7L * SIZE / 2);
    }
#pragma omp parallel num_threads(3)
    CHECK(sum() == 7L * SIZE / 2);
    return 0;
}
