/* Dynamic and guided loops whose chunks may come in any order: a part of the loop for each member. Protocol in
 * loop_parts.c.
 */
#pragma once

#include "core/worksharing/workshare.h"

/* The chunks that a member has left: the first one's number in the high half, the number after the last one in the low
   half; none when the first is not below the other. They number chunks of share.chunk iterations. */
struct ghcomp_loop_part {
    _Atomic uint64_t word GHCOMP_ALIGNED_PAIR; /* atomic(relaxed): see loop_parts.c */
};
#define GHCOMP_PART_ONE (UINT64_C(1) << 32)

/* Divides a dynamic or guided loop into parts, if it is long enough to be worth it and not too long to be numbered. The
   share is the caller's alone, and its count and chunk are set. */
void ghcomp_loop_parts_fill(struct ghcomp_workshare *share, uint32_t size);

/* The member's next chunk; false, and an empty chunk, at the end. */
bool ghcomp_loop_parts_next(struct ghcomp_member *self);

/* Takes the chunk at the front of the member's own part, in a dynamic loop. False: call ghcomp_loop_parts_next. */
static inline bool ghcomp_loop_parts_take(struct ghcomp_member *self, struct ghcomp_workshare *share, uint64_t *begin)
{
    if (ghcomp_unlikely(share->sched != GHCOMP_SCHED_DYNAMIC || ghcomp_load_relaxed(&share->cancelled)))
        return false;
    uint64_t word = ghcomp_add_relaxed(&share->parts[self->tid].word, GHCOMP_PART_ONE), first = word >> 32;
    *begin = first * share->chunk;
    return ghcomp_likely(first < (uint32_t)word);
}
