/* OMP_NESTED=false against a list of numbers: the flag decides.
   env: OMP_NUM_THREADS=2,2 OMP_NESTED=false
   symbols: omp_get_nested */
#include <omp.h>

#include "../common.h"

int main(void)
{
    CHECK(omp_get_max_active_levels() == 1 && !omp_get_nested());
#pragma omp parallel
#pragma omp parallel
    CHECK(omp_get_num_threads() == 1);
    return 0;
}
