/* KMP_TEAMS_PROC_BIND=primary: each team is where the encountering thread is, and has all places.
 *
 * ghcomp-only: libomp forms fewer teams on few CPUs
 * env: OMP_PLACES=threads KMP_TEAMS_PROC_BIND=primary
 */
#include <omp.h>

#include "kmp.h"

int main(void)
{
    int places = omp_get_num_places(), at = omp_get_place_num(), teams = 0;
#pragma omp teams num_teams(3) reduction(+ : teams)
    teams += omp_get_place_num() == at && omp_get_partition_num_places() == places;
    CHECK(teams == 3);
    return 0;
}
