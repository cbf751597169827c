/* The part of the machine that KMP_HW_SUBSET leaves. */
#pragma once

#include "core/affinity/topology.h"
#include "core/state/settings.h"

/* Keeps those CPUs of `topology` that the subset asks for. NULL on success, else the error in a few words. */
const char *ghcomp_hw_subset_keep(const struct ghcomp_hw_subset *subset, const struct ghcomp_topology *topology,
                                  struct ghcomp_cpus *kept);
/* Limits the process's CPUs (ghcomp_os_affinity) to that part, or to all without the variable. Called by env.c, once
   the environment has been read. */
void ghcomp_hw_subset_env_init(void);
/* Whether KMP_HW_SUBSET excludes CPUs. Immutable after ghcomp_env_init. */
extern bool ghcomp_hw_subset_narrows;
