/* Teams of 1,024 threads, teams whose size changes at random between 1 and 256 from region to region, and regions
 * nested three deep whose sizes change at random. Each region has exactly the threads that were asked for, each thread
 * number occurs once, and a barrier separates what comes before it from what comes after it.
 *
 * Deep: 1,000 regions of 1,024 threads, 20,000 random ones.
 *
 * env: OMP_STACKSIZE=64k OMP_DYNAMIC=false
 * hosts: posix ghc
 * limit: 60
 * deep-limit: 600
 */
#include "limits_cases.h"

enum { LARGE = 1024, RANDOM = 256 };

static int came[LARGE];

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* One region: every thread counts itself, and after the barrier sees that its neighbour has. */
static void region(int threads, int barriers)
{
    int sum = 0, late = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum, late)
    {
        int me = omp_get_thread_num(), team = omp_get_num_threads();
        CHECK(team == threads);
        __atomic_add_fetch(&came[me], 1, __ATOMIC_RELAXED);
        for (int i = 0; i < barriers; i++) {
            int before = __atomic_load_n(&came[me], __ATOMIC_RELAXED);
#pragma omp barrier
            late += __atomic_load_n(&came[(me + 1) % team], __ATOMIC_RELAXED) < before;
#pragma omp barrier
            __atomic_add_fetch(&came[me], 1, __ATOMIC_RELAXED);
        }
        sum += me;
    }
    CHECK(sum == threads * (threads - 1) / 2 && late == 0);
    for (int i = 0; i < threads; i++) {
        CHECK(came[i] == 1 + barriers);
        came[i] = 0;
    }
}

static void nested(uint32_t *state)
{
    int outer = 1 + (int)(next_random(state) % 6), middle = 1 + (int)(next_random(state) % 4),
        inner = 1 + (int)(next_random(state) % 4), sum = 0, leaves = 0;
#pragma omp parallel num_threads(outer) reduction(+ : sum, leaves)
    {
        int a = omp_get_thread_num();
#pragma omp parallel num_threads(middle + (a & 1)) reduction(+ : sum, leaves)
        {
            int b = omp_get_thread_num();
            CHECK(omp_get_num_threads() == middle + (a & 1) && omp_get_ancestor_thread_num(1) == a);
#pragma omp parallel num_threads(inner + (b & 1)) reduction(+ : sum, leaves)
            {
                CHECK(omp_get_num_threads() == inner + (b & 1) && omp_get_level() == 3);
                CHECK(omp_get_ancestor_thread_num(1) == a && omp_get_ancestor_thread_num(2) == b);
#pragma omp barrier
                leaves++;
                sum += omp_get_thread_num();
            }
        }
    }
    int expected = 0, sums = 0;
    for (int a = 0; a < outer; a++)
        for (int b = 0; b < middle + (a & 1); b++) {
            int size = inner + (b & 1);
            expected += size;
            sums += size * (size - 1) / 2;
        }
    CHECK(leaves == expected && sum == sums);
}

int main(void)
{
    uint32_t state = 12345;
    int deep = is_deep();
    for (int i = 0; i < (deep ? 1000 : 4); i++)
        region(LARGE, i % 4 == 0);
    for (int i = 0; i < (deep ? 20000 : 150); i++)
        region(1 + (int)(next_random(&state) % RANDOM), i % 3);
    omp_set_max_active_levels(3);
    for (int i = 0; i < (deep ? 5000 : 150); i++) {
        nested(&state);
        if (i % 10 == 0)
            region(1 + (int)(next_random(&state) % 8), 1);
    }
    if (deep)
        for (int i = 0; i < 20; i++) {
            region(LARGE, 1);
            nested(&state);
            region(1, 0);
        }
    return 0;
}
