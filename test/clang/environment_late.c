/* In clang's code variables that main() sets before its first construct take effect, as on libomp, where the process
 * has one thread so far. What a routine has set before stays.
 *
 * env: OMP_NUM_THREADS=2 OMP_SCHEDULE=static
 * hosts: posix ghc
 * cflags: -D_GNU_SOURCE
 */
#include <omp.h>
#include <stdlib.h>
#include <sys/single_threaded.h>

#include "kmp.h"

int main(void)
{
    omp_sched_t kind;
    int chunk;
    if (!__libc_single_threaded) /* somebody has preloaded a library with threads */
        return 0;
#ifdef ROUTINE_FIRST
    setenv("OMP_NUM_THREADS", "3", 1);
    setenv("OMP_MAX_ACTIVE_LEVELS", "4", 1);
    omp_set_num_threads(5);
    CHECK(region_size() == 5 && omp_get_max_active_levels() == 4);
#else
    setenv("OMP_NUM_THREADS", "3", 1);
    setenv("OMP_SCHEDULE", "guided,9", 1);
    CHECK(region_size() == 3);
    omp_get_schedule(&kind, &chunk);
    CHECK(kind == omp_sched_guided && chunk == 9);
#endif
    setenv("OMP_NUM_THREADS", "6", 1);
    CHECK(region_size() < 6);
    (void)kind, (void)chunk;
    return 0;
}
