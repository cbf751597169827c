/* Places: the list of sets of CPUs that OMP_PLACES or GOMP_CPU_AFFINITY describes. Its grammar is in places.c. No state
 * is kept here: affinity.c owns the list in force.
 */
#pragma once

#include "core/affinity/topology.h"

struct ghcomp_places {
    uint32_t count;
    struct ghcomp_cpus *list;
    uint32_t dropped; /* the number of places in the text without a usable CPU */
};

/* Parses OMP_PLACES' value. NULL on success, else the error in a few words; `places` is empty then. CPUs that are not
   in `topology` are left out. */
const char *ghcomp_places_parse(const char *text, const struct ghcomp_topology *topology,
                                struct ghcomp_places *places);
/* The same for GOMP_CPU_AFFINITY's value. */
const char *ghcomp_places_parse_cpus(const char *text, const struct ghcomp_topology *topology,
                                     struct ghcomp_places *places);
void ghcomp_places_free(struct ghcomp_places *places);
