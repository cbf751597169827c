/* Sections: a loop over the numbers of the sections, handed out one at a time. Protocol in sections.c. */
#pragma once

#include "core/worksharing/loop.h"

/* Writes `count` sections into a share that is the caller's alone. */
static inline void ghcomp_sections_fill(struct ghcomp_workshare *share, uint32_t count)
{
    share->count = count;
    share->chunk = 1;
    share->sched = GHCOMP_SCHED_DYNAMIC;
}
/* Enters the construct; `memory` as for ghcomp_loop_enter. */
void ghcomp_sections_enter(struct ghcomp_member *self, uint32_t count, void **memory);
/* The number, from 1, of the section to execute; 0 when none is left. */
uint32_t ghcomp_sections_next(struct ghcomp_member *self);
