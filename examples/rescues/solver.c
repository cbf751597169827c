/* One call of an iterative solver: 40,000 regions, two in each step, over vectors of a few thousand elements. */
#include <math.h>
#include <stdio.h>

enum { N = 4000, STEPS = 20000 };

static double x[N + 2], next[N + 2];

static void solve(void)
{
    for (int step = 0; step < STEPS; step++) {
#pragma omp parallel for
        for (int i = 1; i <= N; i++)
            next[i] = 0.5 * (x[i - 1] + x[i + 1]) + 1e-3;
#pragma omp parallel for
        for (int i = 1; i <= N; i++)
            x[i] = next[i];
    }
}

int main(void)
{
    solve();
    double sum = 0;
    for (int i = 1; i <= N; i++)
        sum += x[i];
    printf("%.9e\n", sum);
    return 0;
}
