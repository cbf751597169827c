/* omp_get_num_procs of clang's code: the CPUs that the process had at its first call, whatever masks threads set later.
 *
 * symbols: omp_get_num_procs omp_get_num_procs_
 * cflags: -D_GNU_SOURCE
 * env: GHCOMP_CPU_QUOTA=ignore
 * hosts: posix ghc
 */
#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include "kmp.h"

int32_t omp_get_num_procs_(void);

/* clang takes the routine's result for constant where it sees the call. */
static int (*volatile routine)(void) = omp_get_num_procs;
static int count;

static void *in_a_thread(void *argument)
{
    CHECK(routine() == count);
    return argument;
}

static void narrow(const cpu_set_t *from)
{
    cpu_set_t one;
    int cpu = 0;
    pthread_t thread;
    while (!CPU_ISSET(cpu, from))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK(routine() == count && omp_get_num_procs_() == count);
    CHECK(pthread_create(&thread, NULL, in_a_thread, NULL) == 0 && pthread_join(thread, NULL) == 0);
#pragma omp parallel num_threads(2)
    CHECK(routine() == count);
    CHECK(sched_setaffinity(0, sizeof *from, from) == 0);
}

int main(void)
{
    cpu_set_t all;
    CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
    count = CPU_COUNT(&all);
    CHECK(routine() == count);
    narrow(&all);
    return 0;
}
