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

/* Adds x to each of n numbers, in the calling thread. */
void function_add(int *numbers, int n, int x)
{
    for (int i = 0; i < n; i++) numbers[i] += x;
}

/* The same by a team of the runtime. */
void function_add_team(int *numbers, int n, int x)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) numbers[i] += x;
}
