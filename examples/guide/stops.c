#include <ghcomp.h>
#include <stdbool.h>

static bool is_prime(long number)
{
    for (long i = 2; i * i <= number; i++)
        if (number % i == 0)
            return false;
    return true;
}

static long primes_in(long from, long past)
{
    long primes = 0;
    for (long i = from < 2 ? 2 : from; i < past; i++)
        primes += is_prime(i);
    return primes;
}

/* The primes below a number; -1 when the caller does not wait for them any more. */
long count_primes(long past)
{
    long primes = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : primes)
    for (long block = 0; block < past; block += 10000)
        if (!ghcomp_interrupted())
            primes += primes_in(block, block + 10000 < past ? block + 10000 : past);
    return ghcomp_interrupted() ? -1 : primes;
}
