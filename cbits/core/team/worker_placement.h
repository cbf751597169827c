/* Spreads the workers of teams that are larger than the machine over its CPUs. Protocol: worker_placement.c. */
#pragma once

#include "core/state/types.h"

/* The CPU of the calling master of a team of that size, for its workers' mail; -1: not needed. */
int32_t ghcomp_worker_placement_cpu(uint32_t team_size);
/* Called by a worker with new mail, before its part: pins it, or restores its mask. */
void ghcomp_worker_placement_apply(struct ghcomp_thread *worker);
