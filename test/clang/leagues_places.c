/* Where threads are bound, the teams of a league share the places: each has a part that no other has, as far as there
 * are places, and its initial thread is in it. Afterwards the encountering thread is where it was.
 *
 * symbols: __kmpc_fork_teams
 * env: OMP_PLACES=threads
 * ghcomp-only: libomp has other places where a container hides part of the machine
 * hosts: posix ghc
 */
#include <omp.h>
#include <stdlib.h>

#include "kmp.h"

enum { TEAMS = 3 };

static int *taken; /* by how many teams each place is */

static void part(int places, int teams)
{
    int count = omp_get_partition_num_places(), inside = 0, *list = malloc((size_t)places * sizeof *list);
    CHECK(count >= 1 && count <= places && (teams > places ? count == 1 : count >= places / teams));
    omp_get_partition_place_nums(list);
    for (int i = 0; i < count; i++) {
        taken[list[i]]++;
        inside += list[i] == omp_get_place_num();
    }
    CHECK(inside == 1);
    free(list);
}

int main(void)
{
    int places = omp_get_num_places(), at = omp_get_place_num();
    CHECK(places > 0 && at == 0);
    for (int teams = 1; teams <= TEAMS; teams++) {
        int used = 0;
        taken = calloc((size_t)places, sizeof *taken);
#pragma omp teams num_teams(teams)
        part(places, teams);
        for (int i = 0; i < places; i++) {
            CHECK(teams > places || taken[i] == 1);
            used += taken[i];
        }
        CHECK(used >= teams);
        CHECK(omp_get_place_num() == at && omp_get_partition_num_places() == places);
        free(taken);
    }
    return 0;
}
