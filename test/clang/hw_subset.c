/* KMP_HW_SUBSET=:1t: the process has one of the CPUs that it may use: the number of CPUs, the default team, the places,
 * and each thread's mask.
 *
 * env: KMP_HW_SUBSET=:1t
 * cflags: -D_GNU_SOURCE
 * hosts: posix ghc
 */
#include <omp.h>
#include <sched.h>
#include <stdio.h>

#include "kmp.h"

int main(void)
{
    cpu_set_t at_start;
    int threads = 0, wrong = 0, cpu = -1;
    CHECK(sched_getaffinity(0, sizeof at_start, &at_start) == 0); /* before the runtime binds this thread */
    if (CPU_COUNT(&at_start) == 1) {
        puts("the process has one CPU, so that no part of it can be left out");
        return 77;
    }
    CHECK(omp_get_num_procs() == 1 && omp_get_max_threads() == 1);
    CHECK(omp_get_num_places() == 1 && omp_get_place_num_procs(0) == 1);
    omp_get_place_proc_ids(0, &cpu);
    CHECK(CPU_ISSET(cpu, &at_start));
#pragma omp parallel num_threads(3) reduction(+ : threads, wrong)
    {
        cpu_set_t mask;
        wrong += sched_getaffinity(0, sizeof mask, &mask) != 0 || CPU_COUNT(&mask) != 1 || !CPU_ISSET(cpu, &mask);
        threads++;
    }
    CHECK(threads == 3 && wrong == 0);
    return 0;
}
