/* With KMP_DETERMINISTIC_REDUCTION the teams of a league run in their order, so that their reductions have one result.
 *
 * symbols: __kmpc_fork_teams
 * env: KMP_DETERMINISTIC_REDUCTION=1
 * ghcomp-only: libomp runs them at once, and combines by a tree
 * hosts: posix ghc
 */
#include <omp.h>

#include "kmp.h"

enum { TEAMS = 40, TURNS = 100 };

int main(void)
{
    double first = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        double sum = 0;
        int next = 0;
#pragma omp teams num_teams(TEAMS) reduction(+ : sum)
        {
            CHECK(next++ == omp_get_team_num());
            sum += 1.0 / (omp_get_team_num() + 3);
        }
        CHECK(turn == 0 || sum == first);
        first = sum;
    }
    return 0;
}
