/* Jacobi sweeps over a square grid whose edge is zero: each point becomes the mean of its four neighbours, in a second
 * grid. A sweep needs all of the sweep before, so a barrier or the end of a region separates them.
 *
 * The first grid is an eigenvector of the sweep, sin(pi x / (N + 1)) sin(pi y / (N + 1)), so after k sweeps each point
 * must be cos(pi / (N + 1))^k of its first value: a sweep that reads a point too early or too late misses that.
 */
#include <math.h>

#include "bench.h"

enum { SMALL = 64, LARGE = 512 };

static double grids[2][(LARGE + 2) * (LARGE + 2)];

static double first(int size, int x, int y)
{
    double step = M_PI / (size + 1);
    return sin(x * step) * sin(y * step);
}

static void fill(int size)
{
    for (int y = 0; y < size + 2; y++)
        for (int x = 0; x < size + 2; x++) {
            int edge = x == 0 || y == 0 || x == size + 1 || y == size + 1;
            grids[0][y * (size + 2) + x] = grids[1][y * (size + 2) + x] = edge ? 0 : first(size, x, y);
        }
}

static inline void sweep_row(int size, const double *from, double *to, int y)
{
    int width = size + 2;
    for (int x = 1; x <= size; x++) {
        int at = y * width + x;
        to[at] = 0.25 * (from[at - 1] + from[at + 1] + from[at - width] + from[at + width]);
    }
}

static void check(int size, long sweeps)
{
    double factor = pow(cos(M_PI / (size + 1)), (double)sweeps);
    long bad = 0;
    for (int y = 1; y <= size; y++)
        for (int x = 1; x <= size; x++) {
            double want = factor * first(size, x, y);
            bad += !(fabs(grids[sweeps & 1][y * (size + 2) + x] - want) <= 1e-9 * factor);
        }
    expect("number of wrong points of the grid", bad, 0);
}

/* One region, with the loop's barrier after each sweep. */
static double with_barriers(int size, long sweeps)
{
    double took = 0;
    fill(size);
#pragma omp parallel
    {
        double start = team_start();
        for (long k = 0; k < sweeps; k++) {
#pragma omp for schedule(static)
            for (int y = 1; y <= size; y++)
                sweep_row(size, grids[k & 1], grids[~k & 1], y);
        }
        team_stop(start, &took);
    }
    check(size, sweeps);
    return took;
}

double run_stencil(long *n)
{
    return with_barriers(SMALL, *n);
}

double run_stencil_large(long *n)
{
    return with_barriers(LARGE, *n);
}

/* A region for each sweep. */
double run_stencil_regions(long *n)
{
    fill(SMALL);
    double start = begin();
    for (long k = 0; k < *n; k++) {
#pragma omp parallel for schedule(static)
        for (int y = 1; y <= SMALL; y++)
            sweep_row(SMALL, grids[k & 1], grids[~k & 1], y);
    }
    double took = end(start);
    check(SMALL, *n);
    return took;
}
