/* OMP_NUM_THREADS as a list: one number for each level, the last one for all below, and nesting is on.
   env: OMP_NUM_THREADS=" 3 , 2 "
   symbols: omp_get_max_threads omp_get_max_active_levels */
#include <omp.h>

#include "../common.h"

int main(void)
{
    CHECK(omp_get_max_threads() == 3 && omp_get_max_active_levels() == omp_get_supported_active_levels());
    int leaves = 0;
#pragma omp parallel reduction(+ : leaves)
    {
        CHECK(omp_get_num_threads() == 3 && omp_get_max_threads() == 2);
#pragma omp parallel reduction(+ : leaves)
        {
            CHECK(omp_get_num_threads() == 2 && omp_get_max_threads() == 2);
#pragma omp parallel reduction(+ : leaves)
            {
                CHECK(omp_get_num_threads() == 2);
                leaves++;
            }
        }
    }
    CHECK(leaves == 12);
    CHECK(omp_get_max_threads() == 3);
    return 0;
}
