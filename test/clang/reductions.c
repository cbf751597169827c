/* Reductions of one and of many variables, of types with and without an atomic instruction, at the end of regions,
 * loops and sections; in teams of 1 to 9.
 *
 * symbols: __kmpc_reduce_nowait __kmpc_end_reduce_nowait __kmpc_reduce __kmpc_end_reduce
 * hosts: posix ghc
 */
#include <complex.h>
#include <omp.h>

#include "kmp.h"

struct range {
    int lowest, highest;
};

static void widen(struct range *range, const struct range *by)
{
    range->lowest = by->lowest < range->lowest ? by->lowest : range->lowest;
    range->highest = by->highest > range->highest ? by->highest : range->highest;
}

#pragma omp declare reduction(widen : struct range : widen(&omp_out, &omp_in)) initializer(omp_priv = {1 << 30, -1})

enum { COUNT = 600, LARGEST = 9, BINS = 50 };

static void one_team(int threads)
{
    long sum = 5;
    double product = 1;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    sum += omp_get_thread_num() + 1;
    CHECK(sum == 5 + threads * (threads + 1) / 2);

    int least = 1 << 30, all = 1, bins[BINS] = {0};
    long double wide = 0;
    double _Complex turned = 0;
    struct range range = {1 << 30, -1};
#pragma omp parallel num_threads(threads)
    {
#pragma omp for reduction(+ : sum, wide, turned, bins) reduction(min : least) reduction(&& : all)
        for (int i = 0; i < COUNT; i++) {
            sum += i;
            wide += i;
            turned += I;
            least = i < least ? i : least;
            all = all && i < COUNT;
            bins[i % BINS]++;
        }
        /* The results are there for all after the loop. */
        CHECK(sum == 5 + threads * (threads + 1) / 2 + COUNT * (COUNT - 1L) / 2 && least == 0 && all);
        for (int i = 0; i < BINS; i++)
            CHECK(bins[i] == COUNT / BINS);
#pragma omp for reduction(widen : range) nowait
        for (int i = 0; i < COUNT; i++)
            widen(&range, &(struct range){i, i});
#pragma omp sections reduction(* : product)
        {
#pragma omp section
            product *= 2;
#pragma omp section
            product *= 3;
#pragma omp section
            product *= 7;
        }
    }
    CHECK(wide == COUNT * (COUNT - 1) / 2 && cimag(turned) == COUNT && creal(turned) == 0);
    CHECK(range.lowest == 0 && range.highest == COUNT - 1 && product == 42);
}

int main(void)
{
    for (int turn = 0; turn < 30; turn++)
        for (int threads = 1; threads <= LARGEST; threads++)
            one_team(threads);
    return 0;
}
