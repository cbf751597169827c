/* Without binding, the threads that a master gets run where it runs: on the CPUs of its own mask if the program has
 * given it one, and on all CPUs when another master without a mask takes the same threads. (Beside Haskell the runtime
 * would keep workers off a CPU; GHCOMP_SHARE says not to.)
 *
 * env: OMP_PROC_BIND=false
 * cflags: -D_GNU_SOURCE
 */
#include <pthread.h>

#include "affinity.h"

static cpu_set_t wanted;

static int others_differ(int threads)
{
    int wrong = 0;
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
    {
        cpu_set_t mask;
        wrong += sched_getaffinity(0, sizeof mask, &mask) != 0 || !CPU_EQUAL(&mask, &wanted);
    }
    return wrong;
}

static void *narrow_master(void *argument)
{
    CHECK(sched_setaffinity(0, sizeof wanted, &wanted) == 0);
    CHECK(others_differ(3) == 0);
    CHECK(others_differ(4) == 0);
    return argument;
}

int main(void)
{
    cpu_set_t all;
    pthread_t thread;
    int cpu = 0;
    CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
    while (!CPU_ISSET(cpu, &all))
        cpu++;
    for (int turn = 0; turn < 3; turn++) {
        CPU_ZERO(&wanted);
        CPU_SET(cpu, &wanted);
        CHECK(pthread_create(&thread, NULL, narrow_master, NULL) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
        wanted = all;
        CHECK(others_differ(3 + turn) == 0);
    }
    return 0;
}
