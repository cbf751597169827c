/* Levels of nesting in clang's code: as on libomp any number is supported, and a list of numbers of threads allows any
 * depth.
 *
 * env: OMP_NUM_THREADS=2,2
 */
#include <limits.h>
#include <omp.h>

#include "kmp.h"

int main(void)
{
    CHECK(omp_get_supported_active_levels() == INT_MAX);
    CHECK(omp_get_max_active_levels() == INT_MAX);
    omp_set_max_active_levels(1000);
    CHECK(omp_get_max_active_levels() == 1000);
    omp_set_max_active_levels(-1);
    CHECK(omp_get_max_active_levels() == 1000);
    omp_set_max_active_levels(INT_MAX);
    CHECK(omp_get_max_active_levels() == INT_MAX);
    omp_set_max_active_levels(3);
    CHECK(omp_get_max_active_levels() == 3);
    return 0;
}
