/* The ICVs of teams constructs: unset, set, left alone by negative values, and unset again.
   symbols: omp_get_max_teams omp_set_num_teams omp_get_teams_thread_limit omp_set_teams_thread_limit */
#include <omp.h>

#include "../common.h"

int main(void)
{
    CHECK(omp_get_max_teams() == 0 && omp_get_teams_thread_limit() == 0);
    CHECK(omp_get_num_teams() == 1 && omp_get_team_num() == 0);
    omp_set_num_teams(3);
    omp_set_teams_thread_limit(2);
    CHECK(omp_get_max_teams() == 3 && omp_get_teams_thread_limit() == 2);
    int inside = 0, wrong = 0;
#pragma omp teams reduction(+ : inside, wrong)
    {
        int teams = omp_get_num_teams(), team = omp_get_team_num();
#pragma omp parallel num_threads(2) reduction(+ : inside, wrong)
        {
            inside += omp_get_thread_num() == 0;
            wrong += omp_get_num_teams() != teams || omp_get_team_num() != team || omp_get_thread_limit() != 2;
        }
    }
    CHECK(inside >= 1 && inside <= 3 && wrong == 0);
    omp_set_num_teams(-1);
    omp_set_teams_thread_limit(-1);
    CHECK(omp_get_max_teams() == 3 && omp_get_teams_thread_limit() == 2);
    omp_set_num_teams(0);
    omp_set_teams_thread_limit(0);
    CHECK(omp_get_max_teams() == 0 && omp_get_teams_thread_limit() == 0);
    return 0;
}
