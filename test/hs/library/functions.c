/* C that the library's tests call. */
#include <omp.h>

/* The size of a team opened here. */
int function_team_size(void)
{
    int size = 0;
#pragma omp parallel
#pragma omp single
    size = omp_get_num_threads();
    return size;
}

/* Runs until *stop is not 0 (1), or for that long (0). */
int function_occupy(const volatile int *stop, volatile int *runs, int milliseconds)
{
    double begin = omp_get_wtime();
    *runs = 1;
    while (omp_get_wtime() - begin < milliseconds * 1e-3)
        if (*stop)
            return 1;
    return 0;
}
