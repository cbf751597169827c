/* ICVs that one team of a league sets are not seen by the next team, nor after the league.
   ghcomp-only: libgomp's teams share the encountering task's ICVs
   symbols: GOMP_teams_reg */
#include <omp.h>

#include "../common.h"

/* Only some routines may be called directly inside a teams construct; the others are called from here. */
static void check_and_set(void)
{
    CHECK(omp_get_max_threads() == 3);
    omp_set_num_threads(7);
    CHECK(omp_get_max_threads() == 7);
}

int main(void)
{
    omp_set_num_threads(3);
#pragma omp teams num_teams(4)
    check_and_set();
    CHECK(omp_get_max_threads() == 3);
    return 0;
}
