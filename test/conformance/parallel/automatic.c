/* Loops without directives that gcc makes parallel by itself (-ftree-parallelize-loops), on their own and from within a
   region. gcc may leave some of them as they are, so the program counts the regions of four threads that it asks for.
   cflags: -O2 -ftree-parallelize-loops=4 -floop-parallelize-all
   ldflags: -Wl,--wrap=GOMP_parallel
   hosts: posix ghc
   symbols: GOMP_parallel GOMP_loop_end_nowait */
#include <omp.h>

#include "../common.h"

enum { SIZE = 100000 };
static double twice[SIZE], given[SIZE];
static int small[SIZE];

/* The linker gives it the calls of GOMP_parallel in this program. */
static int asked;
extern void __real_GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags);
extern void __wrap_GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags);
void __wrap_GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags)
{
    if (threads == 4)
        __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED);
    __real_GOMP_parallel(fn, data, threads, flags);
}

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

static void check(int factor)
{
    for (int i = 0; i < SIZE; i += 999)
        CHECK(twice[i] == 2.0 * i * factor + 1);
    CHECK(sum() == 7L * SIZE / 2);
}

int main(void)
{
    int rounds = 0;
    for (; rounds < 20; rounds++) {
        fill(rounds);
        compute();
        check(rounds);
    }
    CHECK(asked >= rounds);
    int before = asked;
#pragma omp parallel num_threads(3)
    {
#pragma omp single
        {
            fill(rounds);
            compute();
        }
        check(rounds);
    }
    CHECK(asked > before);
    return 0;
}
