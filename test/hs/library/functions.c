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
