/* Keeps workers off the CPU of their master while the CPUs are contended. Protocol: worker_placement.c. */
#pragma once

#include "core/state/types.h"

/* The CPU that the calling master runs on, for its workers' mail; -1 where they need not know it. */
int32_t ghcomp_worker_placement_cpu(void);
/* Own thread: the worker has its mail and begins. */
void ghcomp_worker_placement_apply(struct ghcomp_thread *worker, uint32_t team_size);
