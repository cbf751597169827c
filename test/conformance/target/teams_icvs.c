/* ICVs that one team of a target region's league sets are seen by the next team of gcc's code, and not behind the
   region.
   symbols: GOMP_teams4 */
#include <omp.h>

#include "../common.h"

static void check_and_set(int threads)
{
    int team = omp_get_team_num();
#ifndef __clang__
    CHECK(omp_get_max_threads() == (team == 0 ? threads : 2 + team));
#endif
    CHECK(omp_get_thread_limit() == 9 || omp_get_num_teams() == 1);
    omp_set_num_threads(3 + team);
    CHECK(omp_get_max_threads() == 3 + team);
}

int main(void)
{
    int threads = omp_get_max_threads();
#pragma omp target teams num_teams(4) thread_limit(9)
    check_and_set(threads);
    CHECK(omp_get_max_threads() == threads);
    return 0;
}
