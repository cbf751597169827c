/* The C side of Calling.hs: ordinary OpenMP, which knows nothing of Haskell. */
#include <omp.h>

void fill(double *x, long n);
double dot(const double *x, const double *y, long n);
int team(int threads, int *numbers);

/* x[i] = i + 1 */
void fill(double *x, long n)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        x[i] = (double)(i + 1);
}

double dot(const double *x, const double *y, long n)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (long i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Opens a region of that many threads; each writes its number to its place. How many there were. */
int team(int threads, int *numbers)
{
    int size = 0;
#pragma omp parallel num_threads(threads)
    {
        numbers[omp_get_thread_num()] = omp_get_thread_num();
#pragma omp single
        size = omp_get_num_threads();
    }
    return size;
}
