/* FFTW with OpenMP: complex transforms, of SIZE points (16384) or in two dimensions (512x512), of two inputs in turn.
 * The plan has as many threads as OpenMP gives (OMP_NUM_THREADS); all callers execute the same plan. The right result
 * is that of a plan with one thread. One of calls.h's libraries.
 */
#include <fftw3.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "calls.h"

enum { MAX_POINTS = 1 << 24, LOOKED_AT = 61 };

static int points;
static fftw_complex *inputs[2], *results[2];
static fftw_plan plan;

static fftw_complex *array(void)
{
    fftw_complex *x = fftw_alloc_complex((size_t)points);
    if (x == NULL) {
        fprintf(stderr, "calls-fft: no memory for %d points\n", points);
        exit(1);
    }
    for (long i = 0; i < points; i++)
        x[i][0] = x[i][1] = 0;
    return x;
}

static fftw_plan planned(int lines, int columns, int threads, fftw_complex *out)
{
    fftw_plan_with_nthreads(threads);
    return lines == 1 ? fftw_plan_dft_1d(columns, inputs[0], out, FFTW_FORWARD, FFTW_ESTIMATE)
                      : fftw_plan_dft_2d(lines, columns, inputs[0], out, FFTW_FORWARD, FFTW_ESTIMATE);
}

static bool prepare(const char *size)
{
    int columns = 0, lines = 1;
    char between = 'x';
    int parts = sscanf(size, "%d%c%d", &lines, &between, &columns);
    if (parts == 1)
        columns = lines, lines = 1;
    if ((parts != 1 && parts != 3) || between != 'x' || lines < 1 || columns < 1 || columns > MAX_POINTS / lines)
        return false;
    points = lines * columns;
    fftw_init_threads();
    inputs[0] = array(), inputs[1] = array();
    results[0] = array(), results[1] = array();
    fftw_plan alone = planned(lines, columns, 1, results[0]);
    plan = planned(lines, columns, omp_get_max_threads(), results[0]);
    for (long i = 0; i < points; i++) {
        inputs[0][i][0] = (double)(i * 31 % 97), inputs[0][i][1] = (double)(i * 17 % 89);
        inputs[1][i][0] = (double)(i * 13 % 83), inputs[1][i][1] = (double)(i * 29 % 79);
    }
    fftw_execute_dft(alone, inputs[0], results[0]);
    fftw_execute_dft(alone, inputs[1], results[1]);
    return true;
}

static void *own_result(void)
{
    return array();
}

static void transform(void *own, long number)
{
    fftw_execute_dft(plan, inputs[number % 2], own);
}

/* Every 61st point, so that looking takes little time beside the transform; each point depends on the whole input. */
static bool right(const void *own, long number)
{
    const fftw_complex *y = own, *want = results[number % 2];
    double worst = 0;
    for (long i = number % LOOKED_AT; i < points; i += LOOKED_AT)
        worst = fmax(worst, fabs(y[i][0] - want[i][0]) + fabs(y[i][1] - want[i][1]));
    return worst < 1e-9 * points;
}

const struct library library = {"calls-fft", "16384 or 512x512", prepare, own_result, transform, right};
