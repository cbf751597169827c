/* omp_set_num_threads replaces the number of its level and keeps those below.
   env: OMP_NUM_THREADS=4,3,2
   symbols: omp_set_num_threads */
#include <omp.h>

#include "../common.h"

int main(void)
{
    omp_set_num_threads(2);
#pragma omp parallel
    {
        CHECK(omp_get_num_threads() == 2 && omp_get_max_threads() == 3);
        omp_set_num_threads(4);
#pragma omp parallel
        CHECK(omp_get_num_threads() == 4 && omp_get_max_threads() == 2);
    }
    return 0;
}
