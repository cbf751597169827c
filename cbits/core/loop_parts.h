/* Dynamic and guided loops whose chunks may come in any order: a part of the loop for each member. Protocol in
 * loop_parts.c.
 */
#pragma once

#include "core/workshare.h"

/* The chunks that a member has before it: the first one's number in the high half, the number behind the last one in
   the low half; none when the first is not below the other. Numbers are of chunks of share.chunk iterations. */
struct ghcomp_loop_part {
    _Atomic uint64_t word GHCOMP_ALIGNED_PAIR; /* atomic(relaxed): see loop_parts.c */
};
#define GHCOMP_PART_ONE (UINT64_C(1) << 32)

/* Lays a dynamic or guided loop out in parts, if it is long enough to be worth it and not too long to be numbered. The
   share is the caller's alone, and its count and chunk are set. */
void ghcomp_loop_parts_fill(struct ghcomp_workshare *share, uint32_t size);

/* A chunk for a member of a guided loop, or for one whose part is empty; false, and an empty chunk, at the end. */
bool ghcomp_loop_parts_next_slow(struct ghcomp_member *self);

static inline bool ghcomp_loop_parts_next(struct ghcomp_member *self)
{
    struct ghcomp_workshare *share = self->share;
    if (ghcomp_unlikely(share->sched != GHCOMP_SCHED_DYNAMIC || ghcomp_load_relaxed(&share->cancelled)))
        return ghcomp_loop_parts_next_slow(self);
    uint64_t word = ghcomp_add_relaxed(&share->parts[self->tid].word, GHCOMP_PART_ONE), first = word >> 32;
    if (ghcomp_unlikely(first >= (uint32_t)word))
        return ghcomp_loop_parts_next_slow(self);
    self->chunk_begin = first * share->chunk;
    self->chunk_end = self->chunk_begin + share->chunk;
    return true;
}
