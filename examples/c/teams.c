/* Teams that change their size, and regions inside regions: a first OpenMP program in C.
 *
 *     gcc -O2 -fopenmp -I examples examples/c/teams.c examples/where.c -o teams
 *     ./teams                         # on libgomp, the runtime that comes with gcc
 *     ghcomp run -- ./teams           # the same binary on ghc-openmp
 *
 * A solver whose grids differ in size asks for other teams in each step, and a parallel program that calls a parallel
 * library has regions in regions. libgomp ends threads and creates new ones for both; on ghc-openmp they stay.
 */
#include "where.h"
#include <omp.h>
#include <stdio.h>

enum { RESIZED = 2000, NESTED = 200, POINTS = 1000 };

/* The sum of 1 to POINTS, by a team of `threads`. */
static long sum(int threads)
{
    long total = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : total) schedule(static)
    for (int i = 1; i <= POINTS; i++)
        total += i;
    return total;
}

/* Regions of `threads` and of twice as many take turns. */
static long resize(int threads)
{
    long total = 0;
    for (int round = 0; round < RESIZED; round++)
        total += sum(round % 2 ? 2 * threads : threads);
    return total;
}

/* Regions of `threads`, in each thread of which is a region of two. Inner regions have one thread unless more than one
   level may be active. */
static long nest(int threads)
{
    long total = 0;
    omp_set_max_active_levels(2);
    for (int round = 0; round < NESTED; round++) {
        long level = 0;
#pragma omp parallel num_threads(threads) reduction(+ : level)
        level += sum(2) / omp_get_num_threads();
        total += level;
    }
    return total;
}

int main(void)
{
    int threads = omp_get_max_threads();
    where_print();

    double start = omp_get_wtime();
    long resized = resize(threads);
    double resizing = omp_get_wtime() - start;

    start = omp_get_wtime();
    long nested = nest(threads);
    double nesting = omp_get_wtime() - start;

    printf("%d regions of two sizes: sum %ld\n", RESIZED, resized);
    printf("%d regions with regions in them: sum %ld\n", NESTED, nested);
    fprintf(stderr, "times:   %.0f us a region of %d or of %d threads, %.0f us one of %d with regions of 2\n",
            resizing * 1e6 / RESIZED, threads, 2 * threads, nesting * 1e6 / NESTED, threads);
    return 0;
}
