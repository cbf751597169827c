/* ICVs that a team sets: in gcc's code, as on libgomp, they stay in the next team and after the league, but for
   thread-limit-var; in clang's, as on libomp, they are the team's own.
   symbols: GOMP_teams_reg */
#include <omp.h>

#include "../common.h"

#ifdef __clang__
enum { STAYS = 0 };
#else
enum { STAYS = 1 };
#endif

/* Only some routines may be called directly inside a teams construct; the others are called from here. */
static void check_and_set(int team)
{
    CHECK(omp_get_thread_limit() == 12);
    CHECK(omp_get_max_threads() == (STAYS && team > 0 ? 6 + team : 3));
    omp_set_num_threads(7 + team);
    CHECK(omp_get_max_threads() == 7 + team);
}

int main(void)
{
    int limit = omp_get_thread_limit();
    omp_set_num_threads(3);
#pragma omp teams num_teams(4) thread_limit(12)
    check_and_set(omp_get_team_num());
    CHECK(omp_get_max_threads() == (STAYS ? 10 : 3));
    CHECK(omp_get_thread_limit() == limit);
    return 0;
}
