/* ICVs that one team of a target region's league sets are not seen by the next team.
   ghcomp-only: libgomp's teams share the target task's ICVs
   symbols: GOMP_teams4 */
#include <omp.h>

#include "../common.h"

static void check_and_set(int threads)
{
    CHECK(omp_get_max_threads() == threads && omp_get_thread_limit() == 9);
    omp_set_num_threads(3 + omp_get_team_num());
    CHECK(omp_get_max_threads() == 3 + omp_get_team_num());
}

int main(void)
{
    int threads = omp_get_max_threads();
#pragma omp target teams num_teams(4) thread_limit(9)
    check_and_set(threads);
    CHECK(omp_get_max_threads() == threads);
    return 0;
}
