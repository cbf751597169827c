/* With KMP_AFFINITY=noreset a child by fork() keeps its parent's place, and without binding nothing is touched.
   env: OMP_PROC_BIND=true OMP_PLACES=threads KMP_AFFINITY=noreset
   ghcomp-only: libgomp does not read KMP_AFFINITY
   symbols: GOMP_parallel */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "../common.h"
#include "../../child.h"

static void has_one(void)
{
    cpu_set_t set;
    CHECK(sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1);
}

int main(void)
{
#pragma omp parallel num_threads(2)
    CHECK(omp_get_place_num() >= 0);
    in_child(has_one);
    return 0;
}
