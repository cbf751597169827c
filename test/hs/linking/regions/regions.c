/* A region, and facts about the runtime that ran it. ghcomp.h comes with the package ghc-openmp. */
#include <ghcomp.h>
#include <omp.h>

long regions_sum(long n, int threads, int *team, int *workers);

/* The sum of 0 to n-1; into *team the size of the team, into *workers how many threads ghc-openmp has made. */
long regions_sum(long n, int threads, int *team, int *workers)
{
    long sum = 0;
    #pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
        #pragma omp masked
        *team = omp_get_num_threads();
        #pragma omp for schedule(dynamic, 10)
        for (long i = 0; i < n; i++)
            sum += i;
    }
    *workers = ghcomp_workers_created();
    return sum;
}
