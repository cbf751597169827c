/* Shared by the affinity programs: the calling thread's mask compared with the place that the runtime says it is bound
   to, and a place's neighbour in a partition. */
#pragma once

#include <omp.h>
#include <sched.h>

#include "../common.h"

enum { MOST = 1024 };

/* What omp_get_proc_bind() says where OMP_PLACES or GOMP_CPU_AFFINITY alone is set: on libomp, spread and a number of
   its own. */
#ifdef __clang__
#define BIND_OF_TRUE omp_proc_bind_spread
#define BIND_OF_CPU_LIST 5
#else
#define BIND_OF_TRUE omp_proc_bind_true
#define BIND_OF_CPU_LIST omp_proc_bind_true
#endif

/* The calling thread may run on exactly the CPUs of its place. */
static inline int on_its_place(void)
{
    static __thread cpu_set_t mask, place;
    static __thread int ids[MOST];
    int number = omp_get_place_num();
    if (number < 0 || number >= omp_get_num_places())
        return 0;
    int count = omp_get_place_num_procs(number);
    if (count < 1 || count > MOST)
        return 0;
    omp_get_place_proc_ids(number, ids);
    CPU_ZERO(&place);
    for (int i = 0; i < count; i++)
        CPU_SET(ids[i], &place);
    return sched_getaffinity(0, sizeof mask, &mask) == 0 && CPU_EQUAL(&mask, &place);
}

/* The place that is `steps` after `place` in the partition [first, first + length), with wrap around. */
static inline int place_after(int place, int steps, int first, int length)
{
    return first + (place - first + steps) % length;
}
