/* KMP_AFFINITY=balanced: in a team with more threads than cores consecutive threads share a core, on the first cores
 * one more than on the others. The cores are those that the threads of a team without sharing have.
 *
 * env: KMP_AFFINITY=granularity=core,balanced
 * ghcomp-only: libomp has a place for each pair of a level and a CPU where a container hides part of the machine
 * cflags: -D_GNU_SOURCE
 * hosts: posix ghc
 */
#include <omp.h>
#include <sched.h>
#include <stdio.h>

#include "kmp.h"

enum { MOST = 64 };

static cpu_set_t masks[2 * MOST + 1];

static void region(int threads)
{
    int wrong = 0;
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
    wrong += sched_getaffinity(0, sizeof(cpu_set_t), &masks[omp_get_thread_num()]) != 0;
    CHECK(wrong == 0);
}

int main(void)
{
    cpu_set_t cores[MOST];
    int count = omp_get_num_places();
    omp_set_dynamic(0);
    if (count > MOST) {
        puts("the machine has more cores than the test has threads for");
        return 77;
    }
    region(count);
    for (int i = 0; i < count; i++)
        cores[i] = masks[i];
    for (int threads = count; threads <= 2 * count + 1; threads++) {
        int run = threads / count, longer = threads % count, next = 0;
        region(threads);
        for (int core = 0; core < count; core++)
            for (int i = 0; i < run + (core < longer); i++)
                CHECK(CPU_EQUAL(&masks[next++], &cores[core]));
        CHECK(next == threads);
    }
    return 0;
}
