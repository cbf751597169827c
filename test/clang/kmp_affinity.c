/* KMP_AFFINITY: each thread of a team is bound to the place of its number, and says so.
 *
 * env: KMP_AFFINITY=verbose,granularity=fine,compact OMP_NUM_THREADS=5
 * ghcomp-only: libomp has a place for each pair of a level and a CPU where a container hides part of the machine
 * expect-stderr: OMP: Info: KMP_AFFINITY: pid \d+ tid \d+ thread 0 bound to OS proc set \d+$
 * cflags: -D_GNU_SOURCE
 * hosts: posix ghc
 */
#include <omp.h>
#include <sched.h>

#include "kmp.h"

int main(void)
{
    int places = omp_get_num_places(), wrong = 0, count = 0;
    CHECK(places > 0 && omp_get_proc_bind() != omp_proc_bind_false);
    for (int i = 0; i < places; i++)
        CHECK(omp_get_place_num_procs(i) == 1);
#pragma omp parallel num_threads(places < 5 ? places : 5) reduction(+ : wrong, count)
    {
        cpu_set_t mask;
        int cpu;
        omp_get_place_proc_ids(omp_get_place_num(), &cpu);
        wrong += omp_get_place_num() != omp_get_thread_num();
        wrong += sched_getaffinity(0, sizeof mask, &mask) != 0 || CPU_COUNT(&mask) != 1 || !CPU_ISSET(cpu, &mask);
        count++;
    }
    CHECK(wrong == 0 && count == (places < 5 ? places : 5));
    return 0;
}
