/* Inner teams may use all of the process's CPUs, also where the outer team is larger than the machine and a runtime may
 * pin its threads to different CPUs.
 *
 * cflags: -D_GNU_SOURCE
 * env: OMP_MAX_ACTIVE_LEVELS=2 OMP_PROC_BIND=false GHCOMP_SHARE=all GHCOMP_CPU_QUOTA=ignore
 */
#include <sched.h>

#include "affinity.h"

static int cpus(void)
{
    cpu_set_t mask;
    CHECK(sched_getaffinity(0, sizeof mask, &mask) == 0);
    return CPU_COUNT(&mask);
}

int main(void)
{
    int all = cpus(), outer = 2 * all, wrong = 0;
    for (int round = 0; round < 20; round++) {
        int inner = 0;
#pragma omp parallel num_threads(outer) reduction(+ : wrong, inner)
        {
#pragma omp parallel num_threads(2) reduction(+ : wrong, inner)
            {
                inner++;
                if (omp_get_thread_num() == 1)
                    wrong += cpus() != all;
            }
        }
        CHECK(inner == 2 * outer);
    }
    CHECK(wrong == 0);
    return 0;
}
