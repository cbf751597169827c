/* The ICVs of teams constructs: unset (three teams on the host, one in a target region, as libgomp has it), set,
   left alone by negative values, and unset again.
   symbols: omp_get_max_teams omp_set_num_teams omp_get_teams_thread_limit omp_set_teams_thread_limit */
#include <omp.h>

#include "../common.h"

/* Teams constructs without num_teams. */
static void check_default(int on_host)
{
    int teams = 0, in_target = 0, offered = 0;
#pragma omp teams reduction(+ : teams)
    teams += omp_get_num_teams() == on_host;
    CHECK(teams == on_host);
#pragma omp target teams map(tofrom : offered) reduction(+ : in_target)
    {
        in_target++;
        if (omp_get_team_num() == 0)
            offered = omp_get_num_teams();
    }
    CHECK(in_target == 1 && offered == 1);
}

int main(void)
{
    CHECK(omp_get_max_teams() == 0 && omp_get_teams_thread_limit() == 0);
    CHECK(omp_get_num_teams() == 1 && omp_get_team_num() == 0);
    check_default(3);
    omp_set_num_teams(3);
    omp_set_teams_thread_limit(2);
    CHECK(omp_get_max_teams() == 3 && omp_get_teams_thread_limit() == 2);
    omp_set_num_teams(4);
    check_default(4);
    omp_set_num_teams(3);
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
    check_default(3);
    return 0;
}
