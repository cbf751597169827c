/* The slots of a team's members, one after the other, as libomp gives them out (slots_of_libomp.c). */
#pragma once

#include "core/affinity/affinity.h"

struct ghcomp_slots_of_libomp {
    enum ghcomp_bind bind; /* true: by KMP_AFFINITY or GOMP_CPU_AFFINITY; false: by KMP_HW_SUBSET */
    uint32_t threads, tid; /* tid: the next member's */
    struct ghcomp_slot master;
    uint32_t place; /* the next slot's */
    /* For runs of threads and parts of places: their length, how many are longer by one, the distance between two
       longer ones, and the distance from the last longer one; how many threads the present run still takes. */
    uint32_t length, longer, gap, since, left;
    bool whole; /* the parts are of all places of the process */
    double next; /* where the next such part begins */
};

void ghcomp_slots_of_libomp_start(struct ghcomp_slots_of_libomp *slots, enum ghcomp_bind bind, uint32_t threads,
                                  struct ghcomp_slot master);
/* The slot of the next member, beginning with member 0. */
struct ghcomp_slot ghcomp_slots_of_libomp_next(struct ghcomp_slots_of_libomp *slots);
