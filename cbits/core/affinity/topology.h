/* The usable CPUs and what they share, which the abstract names of OMP_PLACES refer to. Read in topology.c. */
#pragma once

#include "core/affinity/cpus.h"

/* One usable CPU and what it is part of. The numbers are names of groups; they need not be consecutive. */
struct ghcomp_topology_cpu {
    uint32_t cpu, core, socket, cache, node;
};

/* The usable CPUs in the order in which places are made from them: adjacent CPUs share most. */
struct ghcomp_topology {
    uint32_t count;
    struct ghcomp_topology_cpu *cpus;
};

/* Reads the topology of the usable CPUs below `root`, which is /sys/devices/system/cpu except in tests. If nothing can
   be read it assumes a core for each CPU, one socket, one cache for each socket, one node. */
void ghcomp_topology_read(const char *root, const struct ghcomp_cpus *usable,
                          struct ghcomp_topology *topology);
/* Sorts the CPUs into that order. */
void ghcomp_topology_sort(struct ghcomp_topology *topology);
void ghcomp_topology_free(struct ghcomp_topology *topology);
