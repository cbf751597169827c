/* The C side of the Haskell measurements: OpenMP kernels, the same work without OpenMP, and small functions whose cost
 * is the call. Compiled by gcc -fopenmp without our headers, so that the same code runs on every runtime.
 *
 * Called by the modules of bench/hs; rows, sizes and divisors are described in bench/haskell_rows.py. A kernel of
 * a team takes its size m and returns its result, so that the caller can check it.
 */
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "kernels.h"
#include "work.h"

/* One thread's counter, alone on its cache line and on the line that the hardware fetches beside it. */
static struct {
    long n;
} __attribute__((aligned(128))) hits[BENCH_MAX_THREADS];

/* The number of threads that took part exactly `each` times since the last call; -1 when a wrong thread did, or a
   thread took part another number of times. */
long bench_hits(long each)
{
    long seen = 0;
    for (int i = 0; i < BENCH_MAX_THREADS; i++) {
        if (hits[i].n != 0)
            seen = seen < 0 || hits[i].n != each ? -1 : seen + 1;
    }
    memset(hits, 0, sizeof hits);
    return seen;
}

void bench_region(int m)
{
#pragma omp parallel num_threads(m)
    hits[omp_get_thread_num()].n++;
}

/* n barriers of one region. */
void bench_barriers(long n, int m)
{
#pragma omp parallel num_threads(m)
    {
        long done = 0;
        for (long i = 0; i < n; i++) {
            done++;
#pragma omp barrier
        }
        hits[omp_get_thread_num()].n += done;
    }
}

/* n entries, of all threads together; returns how many increments were not lost. */
long bench_critical(long n, int m)
{
    long entered = 0;
#pragma omp parallel for num_threads(m) schedule(static)
    for (long i = 0; i < n; i++) {
#pragma omp critical
        entered++;
    }
    return entered;
}

/* ---- loops ---- */

double bench_sum_sin(long n, int m)
{
    double sum = 0;
#pragma omp parallel for num_threads(m) reduction(+ : sum) schedule(static)
    for (long i = 0; i < n; i++)
        sum += sin((double)i);
    return sum;
}

double bench_sum_sin_alone(long n)
{
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += sin((double)i);
    return sum;
}

/* 100 steps of the logistic map from a start of its own for each i: floating point with the same bits from GHC's own
   code generator, LLVM and gcc, whose code for it differs in speed. */
static double logistic(long i)
{
    double x = 0.25 + (double)(i & 1023) * 0x1p-11;
    for (int k = 0; k < 100; k++)
        x = 3.75 * x * (1.0 - x);
    return x;
}

double bench_logistic(long n, int m)
{
    double sum = 0;
#pragma omp parallel for num_threads(m) reduction(+ : sum) schedule(static)
    for (long i = 0; i < n; i++)
        sum += logistic(i);
    return sum;
}

double bench_logistic_alone(long n)
{
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += logistic(i);
    return sum;
}

uint64_t bench_work(long n, int m)
{
    uint64_t sum = 0;
#pragma omp parallel for num_threads(m) reduction(+ : sum) schedule(static)
    for (long i = 0; i < n; i++)
        sum += work((uint64_t)i);
    return sum;
}

uint64_t bench_work_alone(long n)
{
    uint64_t sum = 0;
    for (long i = 0; i < n; i++)
        sum += work((uint64_t)i);
    return sum;
}

/* n chunks of one index. A thread counts its indices in counts[16 * thread] (Counters.hs, line) and adds them up in the
   word after it. */
void bench_chunks(long n, long *counts, int m)
{
#pragma omp parallel for num_threads(m) schedule(dynamic, 1)
    for (long i = 0; i < n; i++) {
        long *own = counts + 16 * omp_get_thread_num();
        own[0]++;
        own[1] += i;
    }
}

/* The units of one task. They are added up in a register: neighbours' results share cache lines. */
static uint64_t task_units(long i, long each)
{
    uint64_t sum = 0;
    for (long k = 0; k < each; k++)
        sum += work((uint64_t)(i * each + k));
    return sum;
}

/* One thread creates the tasks; task i adds `each` units of work to out[i]. */
void bench_tasks(long tasks, long each, uint64_t *out, int m)
{
#pragma omp parallel num_threads(m)
#pragma omp single
    for (long i = 0; i < tasks; i++) {
#pragma omp task firstprivate(i)
        out[i] += task_units(i, each);
    }
}

void bench_tasks_alone(long tasks, long each, uint64_t *out)
{
    for (long i = 0; i < tasks; i++)
        out[i] += task_units(i, each);
}

/* ---- matrices, row by row: c = a * b ---- */

static void dgemm_row(long n, long i, const double *restrict a, const double *restrict b, double *restrict c)
{
    for (long j = 0; j < n; j++)
        c[i * n + j] = 0;
    for (long k = 0; k < n; k++) {
        double x = a[i * n + k];
        for (long j = 0; j < n; j++)
            c[i * n + j] += x * b[k * n + j];
    }
}

void bench_dgemm(long n, const double *a, const double *b, double *c, int m)
{
#pragma omp parallel for num_threads(m) schedule(static)
    for (long i = 0; i < n; i++)
        dgemm_row(n, i, a, b, c);
}

void bench_dgemm_alone(long n, const double *a, const double *b, double *c)
{
    for (long i = 0; i < n; i++)
        dgemm_row(n, i, a, b, c);
}

/* ---- heat in a rod: two arrays of n points, swapped at each step; the ends are constant ---- */

static void heat_part(const double *restrict old, double *restrict new, long from, long past)
{
    for (long i = from; i < past; i++)
        new[i] = old[i] + 0.25 * (old[i - 1] - 2 * old[i] + old[i + 1]);
}

/* One region, with a barrier after each step. After an odd number of steps the result is in `other`. */
void bench_heat(long n, long steps, double *one, double *other, int m)
{
#pragma omp parallel num_threads(m)
    for (long s = 0; s < steps; s++) {
        long parts = omp_get_num_threads(), me = omp_get_thread_num();
        long from = n * me / parts, past = n * (me + 1) / parts;
        heat_part(s & 1 ? other : one, s & 1 ? one : other, from < 1 ? 1 : from, past > n - 1 ? n - 1 : past);
#pragma omp barrier
    }
}

void bench_heat_alone(long n, long steps, double *one, double *other)
{
    for (long s = 0; s < steps; s++)
        heat_part(s & 1 ? other : one, s & 1 ? one : other, 1, n - 1);
}

/* ---- a pass over an array, of which C does a part and Haskell the rest (OursHalves.hs) ---- */

/* In the form of Haskell's own pass: the results are compared bit by bit. */
void bench_transform(const double *values, double *out, long n)
{
    for (long i = 0; i < n; i++)
        out[i] = sin(values[i]) * cos(values[i]) + sqrt(fabs(values[i]));
}

/* ---- calls whose cost is the call ---- */

long bench_next(long i)
{
    return i + 1;
}
