/* Teams on the host: every team runs once and has its number, its own ICVs and thread limit, and level 0.
   symbols: GOMP_teams_reg omp_get_team_num omp_get_num_teams omp_get_thread_limit */
#include <omp.h>

#include "../common.h"

/* Only some routines may be called directly inside a teams construct; the others are called from here. */
static void check_icvs(void)
{
    CHECK(omp_get_num_teams() == 3 && omp_get_level() == 0);
    CHECK(omp_get_thread_limit() == 2);
    CHECK(omp_get_max_threads() == 3);
}

int main(void)
{
    int seen[3] = {0}, threads = 0;
    omp_set_dynamic(0);
    omp_set_num_threads(3);
#pragma omp teams num_teams(3) thread_limit(2) reduction(+ : threads)
    {
        check_icvs();
        seen[omp_get_team_num()]++;
#pragma omp parallel num_threads(4) reduction(+ : threads)
        threads += 1;
    }
    CHECK(threads == 6);
    for (int i = 0; i < 3; i++)
        CHECK(seen[i] == 1);
    CHECK(omp_get_team_num() == 0 && omp_get_num_teams() == 1);
    CHECK(omp_get_max_threads() == 3);
    CHECK(omp_get_thread_limit() > 2);
    int iterations = 0;
#pragma omp teams distribute parallel for reduction(+ : iterations) num_teams(2)
    for (int i = 0; i < 100; i++)
        iterations++;
    CHECK(iterations == 100);
    return 0;
}
