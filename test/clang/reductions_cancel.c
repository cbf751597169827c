/* Reductions where regions can be cancelled. While none is, sums of floating-point numbers in teams of more than four
 * threads are the same each time. A region that one member cancels ends, whichever members wait for its values.
 *
 * symbols: __kmpc_reduce __kmpc_reduce_nowait
 * env: OMP_CANCELLATION=true OMP_DYNAMIC=false
 * ghcomp-only: LLVM 19's libomp hangs in it
 * hosts: posix ghc
 */
#include <omp.h>
#include <sched.h>

#include "kmp.h"

enum { TURNS = 100 };

static const int sizes[] = {2, 3, 5, 8, 16};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static double sum_of(int threads)
{
    double sum = 0, other = 0, third = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum, other, third) schedule(static)
    for (int i = 0; i < threads; i++) {
        sum += 1.0 / (i + 1.1), other += 1e10 / (i + 3.3), third += 1e-3 * i;
#pragma omp cancellation point for
    }
    return sum + 1e-9 * (other + third);
}

static void order(void)
{
    for (int i = 0; i < SIZES; i++) {
        double first = sum_of(sizes[i]);
        for (int turn = 1; sizes[i] > 4 && turn < TURNS; turn++)
            CHECK(sum_of(sizes[i]) == first);
    }
}

/* The last member leaves; the others have their values to combine, and wait for its own. */
static int region(int threads, bool cancels)
{
    int sum = 0, other = 0, third = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum, other, third)
    {
        sum++, other++, third++;
        if (cancels && omp_get_thread_num() == threads - 1) {
            sched_yield();
#pragma omp cancel parallel
        }
    }
    return sum;
}

static void loop_in_region(int threads)
{
    int sum = 0, other = 0, third = 0;
#pragma omp parallel num_threads(threads)
    {
        if (omp_get_thread_num() == threads / 2) {
#pragma omp cancel parallel
        }
#pragma omp for reduction(+ : sum, other, third)
        for (int i = 0; i < 64; i++)
            sum++, other++, third++;
    }
}

int main(void)
{
    order();
    for (int turn = 0; turn < TURNS; turn++)
        for (int i = 0; i < SIZES; i++) {
            region(sizes[i], true);
            CHECK(region(sizes[i], false) == sizes[i]);
            loop_in_region(sizes[i]);
            CHECK(region(sizes[i], false) == sizes[i]);
        }
    return 0;
}
