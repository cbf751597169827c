/* A child by fork() has the CPUs that its parent had at first, not the parent's place; its own regions are bound again.
   A mask that the program has set itself stays.
   env: OMP_PROC_BIND=true OMP_PLACES=threads
   ghcomp-only: on libgomp a child has its parent's place
   symbols: GOMP_parallel */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common.h"
#include "../../child.h"

static cpu_set_t first;

static cpu_set_t mask(void)
{
    cpu_set_t set;
    CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
    return set;
}

static void has_first(void)
{
    cpu_set_t now = mask();
    CHECK(CPU_EQUAL(&now, &first));
}

/* In a process with an RTS of its own (test/around.py) the first thread is bound in its regions alone. */
static void has_place(void)
{
    const char *(*origin)(void) = (const char *(*)(void))dlsym(RTLD_DEFAULT, "ghcomp_host_origin");
    bool around = origin != NULL && strcmp(origin(), "loaded") == 0;
    cpu_set_t now = mask();
    CHECK(around ? CPU_EQUAL(&now, &first) : CPU_COUNT(&now) == 1);
}

static void has_first_and_binds(void)
{
    has_first();
    int bound = 0;
#pragma omp parallel num_threads(2) reduction(+ : bound)
    {
        cpu_set_t now = mask();
        bound += CPU_COUNT(&now) == 1 && omp_get_place_num() >= 0;
    }
    CHECK(bound == 2);
}

static void executes(void)
{
    has_first();
    execl("/proc/self/exe", "child", "asked", (char *)NULL);
    _exit(1);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "asked") == 0) { /* nothing has bound this process yet */
        cpu_set_t now = mask();
        return CPU_COUNT(&now) < 2;
    }
    first = mask();
    if (CPU_COUNT(&first) < 2) {
        puts("needs two CPUs");
        return 77;
    }
    in_child(has_first);
#pragma omp parallel num_threads(2)
    CHECK(omp_get_place_num() >= 0);
    has_place();
    in_child(has_first);
    in_child(has_first_and_binds);
    in_child(executes);
    has_place();
    /* In a region, by a worker and by the master. */
#pragma omp parallel num_threads(2)
#pragma omp critical
    in_child(has_first);
    has_place();

    /* The program's own mask, which is no place: all but the last CPU, if there are three; else it cannot differ. */
    cpu_set_t own = first;
    if (CPU_COUNT(&first) > 2) {
        int last = CPU_SETSIZE - 1;
        while (!CPU_ISSET(last, &own))
            last--;
        CPU_CLR(last, &own);
        CHECK(sched_setaffinity(0, sizeof own, &own) == 0);
        first = own;
        in_child(has_first);
    }
    return 0;
}
