/* The library of environment.sh: asks by a routine, and by a construct. The call is no tail call, so that its return
 * address is here. Of the routine that Fortran's code calls, libomp has a version of its own. */
#include <omp.h>
#include <stddef.h>

int omp_get_affinity_format_(char *buffer, size_t buffer_len);

void library_format(void)
{
    char format[80];
    int length = omp_get_affinity_format_(format, sizeof format);
    __asm__ volatile("" : "+r"(length));
}

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
