/* The C side of Compared.hs: the same count, by an OpenMP loop in C. */
long count_primes(long past);

static int is_prime(long n)
{
    if (n < 4)
        return n > 1;
    if (n % 2 == 0)
        return 0;
    for (long d = 3; d * d <= n; d += 2)
        if (n % d == 0)
            return 0;
    return 1;
}

long count_primes(long past)
{
    long count = 0;
#pragma omp parallel for schedule(dynamic, 1000) reduction(+ : count)
    for (long n = 0; n < past; n++)
        count += is_prime(n);
    return count;
}
