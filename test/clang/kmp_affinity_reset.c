/* KMP_AFFINITY with `reset`: a thread that opens an outermost region gets its own CPUs back after it, not after the
 * regions inside; it is bound again in the next one.
 *
 * env: KMP_AFFINITY=reset,granularity=fine,compact OMP_NUM_THREADS=2,2 OMP_MAX_ACTIVE_LEVELS=2
 * ghcomp-only: libomp gives a thread that had fewer CPUs than the process all of the process's
 * cflags: -D_GNU_SOURCE
 * hosts: posix ghc
 */
#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include "kmp.h"

static cpu_set_t mask(void)
{
    cpu_set_t cpus;
    CHECK(sched_getaffinity(0, sizeof cpus, &cpus) == 0);
    return cpus;
}

static int bound(void)
{
    cpu_set_t cpus = mask();
    return CPU_COUNT(&cpus) == 1;
}

static void regions(void)
{
    cpu_set_t before = mask(), after;
    for (int i = 0; i < 3; i++) {
        int outside = 0, inside = 0, behind = 0;
#pragma omp parallel reduction(+ : outside, inside, behind)
        {
            outside += bound();
#pragma omp parallel reduction(+ : inside)
            inside += bound();
            behind += bound();
        }
        CHECK(outside == 2 && inside == 4 && behind == 2);
        after = mask();
        CHECK(CPU_EQUAL(&before, &after));
        omp_get_place_num();
        after = mask();
        CHECK(CPU_EQUAL(&before, &after));
    }
}

static void *of_one_cpu(void *argument)
{
    cpu_set_t cpus = mask(), last;
    int cpu = CPU_SETSIZE;
    while (!CPU_ISSET(--cpu, &cpus))
        ;
    CPU_ZERO(&last);
    CPU_SET(cpu, &last);
    CHECK(sched_setaffinity(0, sizeof last, &last) == 0);
    regions();
    return argument;
}

int main(void)
{
    regions();
    cpu_set_t before = mask(), after;
    int threads = 0;
#pragma omp teams num_teams(2) reduction(+ : threads)
    {
#pragma omp parallel reduction(+ : threads)
        threads++;
    }
    CHECK(threads >= 2);
    after = mask();
    CHECK(CPU_EQUAL(&before, &after));
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, of_one_cpu, NULL) == 0 && pthread_join(thread, NULL) == 0);
    return 0;
}
