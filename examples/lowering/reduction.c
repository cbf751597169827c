double sum(const double *x, int n)
{
    double total = 0;
#pragma omp parallel reduction(+ : total)
    total += x[n];
    return total;
}
