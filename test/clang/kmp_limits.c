/* libomp's variables for limits, stacks and waiting; where variables of both families set one thing, libomp's counts.
 *
 * env: KMP_DEVICE_THREAD_LIMIT=3 OMP_THREAD_LIMIT=9 KMP_TEAMS_THREAD_LIMIT=4 KMP_STACKSIZE=300000 OMP_STACKSIZE=1M
 * env: KMP_BLOCKTIME=7 OMP_WAIT_POLICY=active KMP_DUPLICATE_LIB_OK=TRUE KMP_HOT_TEAMS_MODE=1
 * ghcomp-only: libomp's thread limits leave a team larger, and its warnings are worded otherwise
 * expect-stderr: KMP_HOT_TEAMS_MODE: such a variable of libomp's has no effect here
 * hosts: posix ghc
 */
#include <limits.h>
#include <omp.h>

#include "kmp.h"

int main(void)
{
    int count = 0, teams = 0, largest = 0;
    CHECK(kmp_get_blocktime() == 7 && kmp_get_stacksize_s() == 300000 && omp_get_thread_limit() == 3);
#pragma omp parallel num_threads(8) reduction(+ : count)
    count++;
    CHECK(count == 3);
#pragma omp teams num_teams(9) reduction(+ : teams)
    teams += omp_get_num_teams() == 4 && omp_get_thread_limit() == 1;
    CHECK(teams == 4);
#pragma omp teams num_teams(2) reduction(max : largest)
    largest = omp_get_thread_limit();
    CHECK(largest == 2);
    kmp_set_defaults("KMP_TEAMS_THREAD_LIMIT=12|KMP_BLOCKTIME=infinite|KMP_STACKSIZE=400k");
    CHECK(kmp_get_blocktime() == INT_MAX && kmp_get_stacksize_s() == 400 * 1024);
    teams = 0;
#pragma omp teams num_teams(9) reduction(+ : teams)
    teams += omp_get_num_teams() == 9 && omp_get_thread_limit() == 1;
    CHECK(teams == 9);
    kmp_set_defaults("KMP_BLOCKTIME=1");
    return 0;
}
