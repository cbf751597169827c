/* kmp_set_thread_affinity_mask_initial: a bound thread has the process's CPUs again, and keeps its place; a thread that
   the runtime does not know is left alone.
   env: OMP_PROC_BIND=true OMP_PLACES=threads */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include "../conformance/common.h"

/* As oneTBB finds it. */
static int (*restore)(void);

static int cpus(void)
{
    cpu_set_t set;
    CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
    return CPU_COUNT(&set);
}

static void *unknown(void *all)
{
    int before = cpus();
    CHECK(restore() == -1);
    CHECK(cpus() == before);
    return all;
}

int main(void)
{
    restore = (int (*)(void))dlsym(RTLD_DEFAULT, "kmp_set_thread_affinity_mask_initial");
    CHECK(restore != NULL);
    CHECK(omp_get_num_procs() >= 1);
    int all = omp_get_num_procs();
#pragma omp parallel num_threads(2)
    CHECK(omp_get_place_num() >= 0);
    const char *(*origin)(void) = (const char *(*)(void))dlsym(RTLD_DEFAULT, "ghcomp_host_origin");
    /* With an RTS the first thread is bound in regions alone. */
    if (origin != NULL && strcmp(origin(), "loaded") == 0) {
        CHECK(restore() == 0);
        CHECK(cpus() == all);
        return 0;
    }
    CHECK(cpus() == 1);
    CHECK(restore() == 0);
    CHECK(cpus() == all);
    CHECK(omp_get_place_num() == 0);
#pragma omp parallel num_threads(2)
    {
        CHECK(cpus() == (omp_get_thread_num() == 0 ? all : 1));
        CHECK(restore() == 0);
        CHECK(cpus() == all);
    }
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, unknown, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    return 0;
}
