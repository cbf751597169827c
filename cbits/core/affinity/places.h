/* Places: sets of CPUs, the list that OMP_PLACES or GOMP_CPU_AFFINITY describes, and the machine's topology that the
 * abstract names refer to. Grammar and reading in places.c. No state is kept here: affinity.c owns the list in force.
 */
#pragma once

#include "base/atomic.h"

/* CPUs from this number on are never used; Linux is not built for more. */
#define GHCOMP_MAX_CPUS 8192u
#define GHCOMP_CPU_WORDS (GHCOMP_MAX_CPUS / 64u)

struct ghcomp_cpus {
    uint64_t bits[GHCOMP_CPU_WORDS]; /* laid out as the kernel's mask is */
};

static inline bool ghcomp_cpus_has(const struct ghcomp_cpus *cpus, uint32_t cpu)
{
    return cpu < GHCOMP_MAX_CPUS && (cpus->bits[cpu / 64] >> cpu % 64 & 1);
}

static inline void ghcomp_cpus_add(struct ghcomp_cpus *cpus, uint32_t cpu)
{
    if (cpu < GHCOMP_MAX_CPUS)
        cpus->bits[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

uint32_t ghcomp_cpus_count(const struct ghcomp_cpus *cpus);
/* The smallest CPU that is >= `from`, or GHCOMP_MAX_CPUS. */
uint32_t ghcomp_cpus_next(const struct ghcomp_cpus *cpus, uint32_t from);
/* "0-3,8", as the kernel writes it. snprintf's contract. */
size_t ghcomp_cpus_print(const struct ghcomp_cpus *cpus, char *buffer, size_t size);
/* The reverse; the list ends where the text does not fit the form. */
void ghcomp_cpus_scan(const char *text, struct ghcomp_cpus *cpus);

/* One usable CPU and what it is part of. The numbers are names of groups; they need not be consecutive. */
struct ghcomp_topology_cpu {
    uint32_t cpu, core, socket, cache, node;
};

/* The usable CPUs in the order in which places are made of them: neighbours share most. */
struct ghcomp_topology {
    uint32_t count;
    struct ghcomp_topology_cpu *cpus;
};

/* Reads the topology of the usable CPUs below `root`, which is /sys/devices/system/cpu except in tests. Where nothing
   can be read it assumes a core for each CPU, one socket, one cache for each socket, one node. */
void ghcomp_topology_read(const char *root, const struct ghcomp_cpus *usable,
                          struct ghcomp_topology *topology);
/* Sorts the CPUs into that order. */
void ghcomp_topology_sort(struct ghcomp_topology *topology);
void ghcomp_topology_free(struct ghcomp_topology *topology);

struct ghcomp_places {
    uint32_t count;
    struct ghcomp_cpus *list;
    uint32_t dropped; /* places of the text that had no usable CPU */
};

/* Parses OMP_PLACES' value. NULL on success, else what is wrong with it in a few words; `places` is empty then. CPUs
   that are not in `topology` are left out. */
const char *ghcomp_places_parse(const char *text, const struct ghcomp_topology *topology,
                                struct ghcomp_places *places);
/* The same for GOMP_CPU_AFFINITY's value. */
const char *ghcomp_places_parse_cpus(const char *text, const struct ghcomp_topology *topology,
                                     struct ghcomp_places *places);
void ghcomp_places_free(struct ghcomp_places *places);
