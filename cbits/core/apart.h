/* Keeps workers off the CPU of their master while Haskell is pressed. Protocol in apart.c. */
#pragma once

#include "core/types.h"

/* The CPU that the calling master's workers should not run on, or -1. */
int32_t ghcomp_apart_cpu(uint32_t team_size);
/* Own thread: the worker has its mail and begins. */
void ghcomp_apart_place(struct ghcomp_thread *worker);
