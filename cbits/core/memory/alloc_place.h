/* Memory on chosen NUMA nodes (traits `partition`, `part_size`). Protocol: alloc_place.c. Any thread may call. */
#pragma once

#include "base/atomic.h"

/* Whether pages can be placed: the process has CPUs on several nodes, and may have memory on them. The first call reads
   the topology. */
bool ghcomp_place_possible(void);
/* Whether a block of so many bytes is placed. */
bool ghcomp_place_worth(size_t bytes);
/* Zeroed pages. `partition` is GHCOMP_ATV_NEAREST, _BLOCKED or _INTERLEAVED; `part`, bytes of a part of interleaved
   memory, 0 for a page. NULL when the system has none. */
void *ghcomp_place_alloc(size_t bytes, uintptr_t partition, size_t part);
/* `bytes` as it was requested. */
void ghcomp_place_free(void *memory, size_t bytes);
