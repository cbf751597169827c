#include <ghcomp.h>
#include <stdbool.h>

static bool is_prime(long number)
{
    for (long i = 2; i * i <= number; i++)
        if (number % i == 0)
            return false;
    return true;
}

/* The primes below a number; -1 when the caller does not wait for them any more. */
long count_primes(long past)
{
    long primes = 0;
#pragma omp parallel for schedule(dynamic, 1000) reduction(+ : primes)
    for (long i = 2; i < past; i++)
        if (!ghcomp_interrupted())
            primes += is_prime(i);
    return ghcomp_interrupted() ? -1 : primes;
}
