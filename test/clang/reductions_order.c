/* In teams of more than four threads a sum of floating-point numbers is the same each time, as on libomp, whether the
 * team has a CPU for each thread or not; in loops that end with a barrier and in regions.
 *
 * env: OMP_DYNAMIC=false
 * hosts: posix ghc
 */
#include <omp.h>

#include "kmp.h"

enum { TURNS = 200 };

/* Two values of a thread, whose sums depend on how they are grouped. */
static double part(int thread)
{
    return 1e10 / (thread + 3.3);
}

static double sum_of(int threads)
{
    double sum = 0, other = 0, third = 0;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for reduction(+ : sum, other, third) schedule(static)
        for (int i = 0; i < threads; i++)
            sum += 1.0 / (i + 1.1), other += part(i), third += 1e-3 * i;
    }
    return sum + 1e-9 * (other + third);
}

static double sum_nowait(int threads)
{
    double sum = 0, other = 0, third = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum, other, third) schedule(static)
    for (int i = 0; i < threads; i++)
        sum += 1.0 / (i + 1.1), other += part(i), third += 1e-3 * i;
    return sum + 1e-9 * (other + third);
}

int main(void)
{
    static const int sizes[] = {5, 8, 16, 33};
    for (int i = 0; i < (int)(sizeof sizes / sizeof sizes[0]); i++) {
        double first = sum_of(sizes[i]), second = sum_nowait(sizes[i]);
        for (int turn = 1; turn < TURNS; turn++) {
            CHECK(sum_of(sizes[i]) == first);
            CHECK(sum_nowait(sizes[i]) == second);
        }
    }
    return 0;
}
