/* A league in a target region: as many teams as asked for, each once, each an initial thread with its limit.
   symbols: GOMP_teams4 */
#include <omp.h>

#include "../common.h"

static int seen[8], leagues;

static void in_team(int teams, int limit)
{
    CHECK(omp_get_num_teams() == teams && omp_get_team_num() < teams);
    CHECK(omp_get_level() == 0 && omp_get_num_threads() == 1 && !omp_in_parallel());
    CHECK(limit == 0 || omp_get_thread_limit() == limit);
    seen[omp_get_team_num()]++;
    leagues++;
}

int main(void)
{
    for (int teams = 1; teams <= 5; teams++) {
        memset(seen, 0, sizeof seen);
#pragma omp target teams num_teams(teams) thread_limit(4)
        {
            in_team(teams, 4);
#pragma omp parallel num_threads(3)
            CHECK(omp_get_num_teams() == teams && omp_get_level() == 1);
        }
        for (int i = 0; i < 8; i++)
            CHECK(seen[i] == (i < teams));
        CHECK(omp_get_num_teams() == 1 && omp_get_team_num() == 0);
    }
    CHECK(leagues == 15);

    /* Without the clause one team is enough; with a lower bound there are at least so many. */
    leagues = 0;
#pragma omp target teams
    in_team(omp_get_num_teams(), 0);
    CHECK(leagues >= 1);
    leagues = 0;
#pragma omp target teams num_teams(2 : 4)
    in_team(omp_get_num_teams(), 0);
    CHECK(leagues >= 2 && leagues <= 4);

    /* A league's limit ends with it. */
#pragma omp target thread_limit(6)
    {
#pragma omp teams num_teams(2) thread_limit(3)
        in_team(2, 3);
    }
    CHECK(omp_get_thread_limit() > 6);

    int sum = 0;
#pragma omp target teams distribute num_teams(4) reduction(+ : sum) map(tofrom : sum)
    for (int i = 0; i < 100; i++)
        sum += i;
    CHECK(sum == 4950);
    return 0;
}
