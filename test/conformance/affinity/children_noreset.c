/* With KMP_AFFINITY=noreset a child by fork() keeps its parent's place, and without binding nothing is touched.
   env: OMP_PROC_BIND=true OMP_PLACES=threads KMP_AFFINITY=noreset
   ghcomp-only: libgomp does not read KMP_AFFINITY
   symbols: GOMP_parallel */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common.h"

int main(void)
{
    cpu_set_t set;
#pragma omp parallel num_threads(2)
    CHECK(omp_get_place_num() >= 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
        _exit(CPU_COUNT(&set) != 1);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    return 0;
}
