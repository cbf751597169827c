/* Where OMP_PLACES limits the number of an abstract name's places, a process of clang's code has the CPUs of these
 * places alone: one, here.
 *
 * env: OMP_PLACES=threads(1)
 * hosts: posix ghc
 */
#include <omp.h>

#include "kmp.h"

static int size_of_default_team(void)
{
    int size = 0;
#pragma omp parallel reduction(+ : size)
    size++;
    return size;
}

int main(void)
{
    CHECK(omp_get_num_procs() == 1 && omp_get_max_threads() == 1 && size_of_default_team() == 1);
    CHECK(omp_get_num_places() == 1 && omp_get_place_num_procs(0) == 1);
    omp_set_num_threads(3);
    CHECK(size_of_default_team() == 3);
    return 0;
}
