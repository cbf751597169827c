/* Heat spreads over a square plate: a first OpenMP program in C.
 *
 *     gcc -O2 -fopenmp -I examples examples/c/heat.c examples/where.c -o heat -lm
 *     ./heat                          # on libgomp, the runtime that comes with gcc
 *     ghcomp run -- ./heat            # the same binary on ghc-openmp, in GHC's runtime system
 *
 * The left edge of the plate is kept at 100 degrees and the others at 0. In each step every inner point
 * becomes the mean of its four neighbours. Rows are independent of each other within a step, so the threads
 * of a team share them.
 */
#include "where.h"
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 600, STEPS = 400 };

typedef double plate[SIZE][SIZE];

static void set_up(plate *p)
{
    memset(p, 0, sizeof *p);
    for (int i = 0; i < SIZE; i++)
        (*p)[i][0] = 100;
}

/* One step. Returns the largest change of a point.
 *
 * `parallel` makes a team of threads, `for` deals the rows out to them, and `reduction(max : change)` gives
 * each thread its own `change` and joins them to one when the loop ends. `num_threads` says how many threads
 * the team has.
 */
static double step(plate *from, plate *to, int threads)
{
    double change = 0;
#pragma omp parallel for num_threads(threads) reduction(max : change) schedule(static)
    for (int i = 1; i < SIZE - 1; i++) {
        for (int j = 1; j < SIZE - 1; j++) {
            double mean = ((*from)[i - 1][j] + (*from)[i + 1][j] + (*from)[i][j - 1] + (*from)[i][j + 1]) / 4;
            change = fmax(change, fabs(mean - (*from)[i][j]));
            (*to)[i][j] = mean;
        }
    }
    return change;
}

/* The plate after `steps` steps, and the change of the last one. */
static plate *solve(int steps, int threads, double *change)
{
    plate *now = malloc(sizeof *now), *next = malloc(sizeof *next);
    if (now == NULL || next == NULL) {
        fprintf(stderr, "heat: out of memory\n");
        exit(1);
    }
    set_up(now);
    set_up(next);
    for (int s = 0; s < steps; s++) {
        *change = step(now, next, threads);
        plate *swap = now;
        now = next;
        next = swap;
    }
    free(next);
    return now;
}

static int same(plate *a, plate *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

int main(void)
{
    where_print();

    /* 1. One thread, for comparison: each point is computed in the same way by any number of threads, so that
          the plates must agree to the last bit. */
    double change_alone, change;
    double start = omp_get_wtime();
    plate *alone = solve(STEPS, 1, &change_alone);
    double alone_took = omp_get_wtime() - start;

    /* 2. A team of as many threads as OMP_NUM_THREADS says, or as there are CPUs. */
    start = omp_get_wtime();
    plate *shared = solve(STEPS, omp_get_max_threads(), &change);
    double shared_took = omp_get_wtime() - start;
    int right = same(alone, shared) && change == change_alone;
    printf("after %d steps: %.6f degrees near the hot edge, last change %.6f; a team gives the same: %s\n",
           STEPS, (*shared)[SIZE / 2][10], change, right ? "yes" : "NO");
    fprintf(stderr, "times:   %.0f ms alone, %.0f ms with %d threads\n", alone_took * 1e3, shared_took * 1e3,
            omp_get_max_threads());
    free(alone);

    /* 3. Nested regions: an outer team of two, and each of its threads solves a plate with an inner team of
          two. Inner regions have one thread unless more than one level may be active. */
    omp_set_max_active_levels(2);
    double change_nested[2];
    plate *nested[2];
#pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num();
        nested[me] = solve(STEPS / 8, 2, &change_nested[me]);
    }
    double change_short;
    plate *reference = solve(STEPS / 8, 1, &change_short);
    int nested_right = same(nested[0], reference) && same(nested[1], reference);
    printf("two plates at once, by two teams of two: both right: %s\n", nested_right ? "yes" : "NO");

    free(shared);
    free(nested[0]);
    free(nested[1]);
    free(reference);
    return right && nested_right ? 0 : 1;
}
