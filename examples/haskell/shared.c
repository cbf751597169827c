/* The C side of Shared.hs. */
#include <math.h>

void transform(const double *in, double *out, long n);
void transform_parts(double *x, long n, int parts, int extra, int in_turns);
void two_passes(const double *in, double *middle, double *out, long n, int threads, int wait);

static double f(double x)
{
    return sin(x) * cos(x) + sqrt(fabs(x));
}

void transform(const double *in, double *out, long n)
{
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++)
        out[i] = f(in[i]);
}

static void transform_part(double *x, long n, int parts, int part, int extra)
{
    long from = n * part / parts, past = n * (part + 1) / parts + (part + 1 < parts ? extra : 0);
    for (long i = from; i < past; i++)
        x[i] = f(x[i]);
}

/* In place, by parts. With extra elements parts overlap: this is the mistake. In turns: the even parts, a barrier, and
   the odd ones, so that no two threads are at the same element. Otherwise nobody waits. */
void transform_parts(double *x, long n, int parts, int extra, int in_turns)
{
#pragma omp parallel num_threads(4)
    {
#pragma omp for schedule(static, 1) nowait
        for (int part = 0; part < parts; part += 2)
            transform_part(x, n, parts, part, extra);
        if (in_turns) {
#pragma omp barrier
        }
#pragma omp for schedule(static, 1)
        for (int part = 1; part < parts; part += 2)
            transform_part(x, n, parts, part, extra);
    }
}

/* The second pass reads what the neighbours' threads have written in the first one. Without the barrier (wait = 0: this
   is the mistake) it reads what was there before. */
void two_passes(const double *in, double *middle, double *out, long n, int threads, int wait)
{
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static) nowait
        for (long i = 0; i < n; i++)
            middle[i] = f(in[i]);
        if (wait) {
#pragma omp barrier
        }
#pragma omp for schedule(static)
        for (long i = 1; i < n - 1; i++)
            out[i] = (middle[i - 1] + middle[i] + middle[i + 1]) / 3;
    }
}
