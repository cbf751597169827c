/* The library of environment.sh: asks by a routine, and by a construct. The call is no tail call, so that its return
 * address is here. */
#include <omp.h>

int library_threads(void)
{
    int threads = omp_get_max_threads();
    __asm__ volatile("" : "+r"(threads));
    return threads;
}

int library_team(void)
{
    int count = 0;
#pragma omp parallel reduction(+ : count)
    count++;
    return count;
}
