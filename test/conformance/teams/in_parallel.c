/* Members of a parallel region that each run a league: every team has its number, on libgomp and here, although OpenMP
   wants the construct outside of regions (5.2, section 10.2). Regions in a team belong to it; afterwards there is no
   league any more.
   symbols: GOMP_teams_reg omp_get_team_num omp_get_num_teams */
#include <omp.h>

#include "../common.h"

enum { TEAMS = 3, ITERATIONS = 8 };
static int times[2][TEAMS], hits[2][ITERATIONS], inner[2][TEAMS];

/* By a function, or the compiler would refuse it. */
static __attribute__((noinline)) void run_league(int member)
{
#pragma omp teams num_teams(TEAMS)
    {
        int number = omp_get_team_num();
        CHECK(omp_get_num_teams() == TEAMS && number < TEAMS);
        times[member][number]++;
#pragma omp distribute
        for (int i = 0; i < ITERATIONS; i++)
            hits[member][i]++;
#pragma omp parallel num_threads(2) reduction(+ : inner[member][number])
        if (omp_get_team_num() == number && omp_get_num_teams() == TEAMS)
            inner[member][number]++;
    }
    CHECK(omp_get_team_num() == 0 && omp_get_num_teams() == 1);
}

static void check(int members)
{
    for (int member = 0; member < members; member++) {
        for (int number = 0; number < TEAMS; number++)
            CHECK(times[member][number] == 1 && inner[member][number] == 2);
        for (int i = 0; i < ITERATIONS; i++)
            CHECK(hits[member][i] == 1);
    }
    memset(times, 0, sizeof times);
    memset(hits, 0, sizeof hits);
    memset(inner, 0, sizeof inner);
}

int main(void)
{
    omp_set_dynamic(0);
    omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2)
    run_league(omp_get_thread_num());
    check(2);
#pragma omp parallel num_threads(1)
    run_league(0);
    check(1);
    run_league(0);
    check(1);
    return 0;
}
