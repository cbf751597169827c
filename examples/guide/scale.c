void scale(double *x, long n, double by);

void scale(double *x, long n, double by)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        x[i] *= by;
}
