#include <omp.h>
#include <stdio.h>

int main(void)
{
    long sum = 0;
    int threads = 0;

#pragma omp parallel reduction(+ : threads)
    threads += 1;

#pragma omp parallel for reduction(+ : sum)
    for (long i = 1; i <= 1000000; i++)
        sum += i;

    printf("%d threads, sum %ld\n", threads, sum);
    return 0;
}
