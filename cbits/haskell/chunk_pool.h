/* A loop that a region's members share out among those that have a Capability. Protocol in share.c. */
#pragma once

#include "core/state/types.h"

/* The values are those of GHC.OpenMP.Internal.Loop. */
enum ghcomp_sharing {
    GHCOMP_SHARING_STATIC = 1, /* one piece for each member, its own first */
    GHCOMP_SHARING_DYNAMIC = 2,
    GHCOMP_SHARING_GUIDED = 3
};
enum { GHCOMP_CHUNK_POOL_PIECES = 256 };

struct ghcomp_chunk_pool {
    uint64_t count;                /* iterations 0 .. count-1; region */
    uint64_t chunk;                /* at least 1; region */
    int kind;                      /* enum ghcomp_sharing; region */
    uint32_t pieces;               /* static: region */
    uint32_t size;                 /* region: members of the team */
    _Atomic uint64_t taken GHCOMP_ALIGNED_PAIR; /* dynamic, guided: iterations handed out; atomic(relaxed) */
    _Atomic uint64_t claimed[GHCOMP_CHUNK_POOL_PIECES / 64]; /* static: a bit for each piece handed out; atomic(relaxed) */
    _Atomic uint32_t closed GHCOMP_ALIGNED_PAIR; /* 1: nothing is left, or the region is cancelled; see share.c */
    _Atomic uint32_t sleepers;     /* members that sleep until then; see share.c */
};

void ghcomp_chunk_pool_start(struct ghcomp_chunk_pool *share, int kind, uint64_t count, uint64_t chunk, uint32_t size);
/* Takes the member's next chunk into [self->chunk_begin, self->chunk_end); false at the end. */
bool ghcomp_chunk_pool_next(struct ghcomp_chunk_pool *share, struct ghcomp_member *self);
/* Nothing is handed out any more. */
void ghcomp_chunk_pool_close(struct ghcomp_chunk_pool *share);

static inline bool ghcomp_chunk_pool_closed(struct ghcomp_chunk_pool *share)
{
    return ghcomp_load_relaxed(&share->closed) != 0;
}
/* Sleeps until the share is closed, for that many nanoseconds at most. */
void ghcomp_chunk_pool_sleep(struct ghcomp_chunk_pool *share, uint32_t nanoseconds);
