/* The part of the machine that KMP_HW_SUBSET leaves. */
#pragma once

#include "core/affinity/topology.h"
#include "core/state/settings.h"

/* Keeps those CPUs of `topology` that the subset asks for. NULL on success, else the error in a few words. */
const char *ghcomp_hw_subset_keep(const struct ghcomp_hw_subset *subset, const struct ghcomp_topology *topology,
                                  struct ghcomp_cpus *kept);
/* Makes them the process's (ghcomp_os_affinity), or all again. env.c, once the environment has been read. */
void ghcomp_hw_subset_env_init(void);
/* Whether it has left CPUs out. Immutable after ghcomp_env_init. */
extern bool ghcomp_hw_subset_narrows;
