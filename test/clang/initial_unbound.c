/* A thread that has only asked the runtime for settings keeps its CPUs; it is bound when it opens a region,
 * and in a Haskell program only until that region ends.
 *
 * env: OMP_PLACES=threads OMP_PROC_BIND=close
 * cflags: -D_GNU_SOURCE
 */
#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include "kmp.h"

static int cpus(void)
{
    cpu_set_t mask;
    CHECK(sched_getaffinity(0, sizeof mask, &mask) == 0);
    return CPU_COUNT(&mask);
}

static void *run(void *argument)
{
    int before = cpus(), bound = 0;
    omp_set_num_threads(2);
    CHECK(cpus() == before);
#pragma omp parallel reduction(+ : bound)
    bound += cpus() == 1;
    CHECK(bound == 2);
    return argument;
}

int main(void)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, run, NULL) == 0 && pthread_join(thread, NULL) == 0);
    run(NULL);
    return 0;
}
