#include <ghcomp.h>
#include <omp.h>

double dot(const double *x, const double *y, int n);
int made(void);

double dot(const double *x, const double *y, int n)
{
    double sum = 0;
    #pragma omp parallel for simd reduction(+ : sum) num_threads(3)
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* How many workers the runtime has made, by the header that comes with the package. */
int made(void)
{
    return ghcomp_workers_created();
}
