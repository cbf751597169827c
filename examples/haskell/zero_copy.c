/* The C side of ZeroCopy.hs: loops of OpenMP threads over memory that belongs to Haskell, or the other way round. */
#include <stdlib.h>

const double *largest(const double *x, long n);
void scale(double *x, long n, double by);
double *squares(long n);

/* Where the largest element stands (the first of several). The caller learns which memory was read. */
const double *largest(const double *x, long n)
{
    long at = 0;
#pragma omp parallel
    {
        long mine = 0;
#pragma omp for schedule(static) nowait
        for (long i = 0; i < n; i++)
            if (x[i] > x[mine])
                mine = i;
#pragma omp critical
        if (x[mine] > x[at] || (x[mine] == x[at] && mine < at))
            at = mine;
    }
    return &x[at];
}

void scale(double *x, long n, double by)
{
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++)
        x[i] *= by;
}

/* Memory that C allocates and the caller frees; NULL when there is none. */
double *squares(long n)
{
    double *x = malloc((size_t)n * sizeof *x);
    if (!x)
        return NULL;
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++)
        x[i] = (double)i * (double)i;
    return x;
}
