/* KMP_DETERMINISTIC_REDUCTION: sums whose result depends on the order are the same each time, in teams of any size,
 * with a barrier behind them and without; tasks run beside reductions that wait; nested regions have reductions of
 * their own.
 *
 * env: KMP_DETERMINISTIC_REDUCTION=1 OMP_MAX_ACTIVE_LEVELS=2 OMP_DYNAMIC=false
 * hosts: posix ghc
 */
#include <omp.h>

#include "kmp.h"

enum { COUNT = 1000, LARGEST = 9, TURNS = 20, BINS = 40 };

static double sum_of(int threads)
{
    double sum = 0.5;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for reduction(+ : sum) schedule(static)
        for (int i = 1; i <= COUNT; i++)
            sum += 1.0 / i;
#pragma omp critical
        CHECK(sum > 7.9 && sum < 8);
    }
    return sum;
}

static double sum_nowait(int threads)
{
    double sum = 0, bins[BINS] = {0};
#pragma omp parallel for num_threads(threads) reduction(+ : sum, bins) schedule(static)
    for (int i = 1; i <= COUNT; i++) {
        sum += 1.0 / i;
        bins[i % BINS] += 1e10 / i;
    }
    for (int i = 0; i < BINS; i++)
        sum += bins[i];
    return sum;
}

static void nested(void)
{
    int all = 0;
#pragma omp parallel num_threads(3) reduction(+ : all)
    {
        int inner = 0;
#pragma omp parallel for num_threads(2) reduction(+ : inner)
        for (int i = 0; i < 10; i++)
            inner += i;
        all += inner;
    }
    CHECK(all == 3 * 45);
}

static void with_tasks(void)
{
    int sum = 0, tasks = 0;
#pragma omp parallel num_threads(4)
    {
        for (int i = 0; i < 50; i++)
#pragma omp task shared(tasks)
        {
#pragma omp atomic
            tasks++;
        }
#pragma omp for reduction(+ : sum)
        for (int i = 0; i < 40; i++)
            sum += i;
        CHECK(sum == 780 && tasks == 200);
    }
}

int main(void)
{
    for (int threads = 1; threads <= LARGEST; threads++) {
        double first = sum_of(threads), second = sum_nowait(threads);
        for (int turn = 1; turn < TURNS; turn++)
            CHECK(sum_of(threads) == first && sum_nowait(threads) == second);
        nested();
        with_tasks();
    }
    return 0;
}
