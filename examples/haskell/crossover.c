/* The C side of Crossover.hs: one sum, once alone and once by a team. */
#include <omp.h>

double sum_alone(const double *x, long n);
double sum_team(const double *x, long n, int threads);

double sum_alone(const double *x, long n)
{
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

double sum_team(const double *x, long n, int threads)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(threads)
    for (long i = 0; i < n; i++)
        sum += x[i];
    return sum;
}
