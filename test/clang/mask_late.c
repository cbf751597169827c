/* In clang's code the CPUs are those of the affinity mask at the first region or question for their number, although
 * clang asks for the thread's number at the beginning of main(), as on libomp. A variable that is set in between has no
 * effect.
 *
 * env: OMP_DYNAMIC=false OMP_THREAD_LIMIT=1000
 * hosts: posix ghc
 * cflags: -D_GNU_SOURCE
 */
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/single_threaded.h>

#include "kmp.h"

int main(void)
{
    cpu_set_t mask, one;
    if (!__libc_single_threaded) /* somebody has preloaded a library with threads */
        return 0;
    int number = thread_number();
    CHECK(number == 0 && thread_number() == 0);
    CHECK(sched_getaffinity(0, sizeof mask, &mask) == 0);
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &mask))
            CPU_SET(cpu, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
#ifdef QUESTION_FIRST
    CHECK(omp_get_max_threads() == 1);
#endif
    CHECK(region_size() == 1 && omp_get_max_threads() == 1 && omp_get_num_procs() == 1);
    CHECK(sched_setaffinity(0, sizeof mask, &mask) == 0);
    CHECK(region_size() == 1 && omp_get_max_threads() == 1);
    CHECK(thread_number() == 0);
    return 0;
}
