/* Keeps workers off the CPU of their master while Haskell is pressed. Protocol in worker_placement.c. */
#pragma once

#include "core/state/types.h"

/* The CPU that the calling master runs on, for its workers' mail; -1 where they need not know. */
int32_t ghcomp_apart_cpu(void);
/* The CPUs that the worker may use but for what is done here. Own thread. */
void ghcomp_apart_base(const struct ghcomp_thread *worker, struct ghcomp_cpus *mask);
/* Own thread: the worker has its mail and begins. */
void ghcomp_apart_place(struct ghcomp_thread *worker, uint32_t team_size);
