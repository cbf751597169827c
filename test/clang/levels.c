/* Levels of nesting in clang's code: as on libomp any number is supported, and a list of numbers of threads allows any
 * depth; omp_set_nested changes no limit on the levels, but for one that allows none.
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
    /* The deprecated flag keeps a limit; 0 levels become 1 by false. */
    omp_set_nested(1);
    CHECK(omp_get_max_active_levels() == 3 && omp_get_nested());
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
    CHECK(omp_get_nested());
    omp_set_nested(0);
    CHECK(omp_get_max_active_levels() == 1 && !omp_get_nested());
    omp_set_nested(1);
    CHECK(omp_get_max_active_levels() == INT_MAX && omp_get_nested());
    omp_set_max_active_levels(0);
    omp_set_nested(1);
    CHECK(omp_get_max_active_levels() == 0 && !omp_get_nested());
    omp_set_nested(0);
    CHECK(omp_get_max_active_levels() == 1);
    return 0;
}
