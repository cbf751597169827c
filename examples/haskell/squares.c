/* The C side of Mixed.hs: a loop that a team of OpenMP threads shares. */
long sum_of_squares(long n);

long sum_of_squares(long n)
{
    long sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (long k = 0; k < n; k++)
        sum += k * k;
    return sum;
}
