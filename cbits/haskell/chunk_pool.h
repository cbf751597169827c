/* A pool of chunks: a loop whose iterations go to the members that have a Capability. Protocol in chunk_pool.c. */
#pragma once

#include "core/state/types.h"

/* The values are those of SharingKind in OpenMP.Internal.Region. */
enum ghcomp_sharing {
    GHCOMP_SHARING_STATIC = 1, /* a piece for each member, which takes its own first */
    GHCOMP_SHARING_DYNAMIC = 2,
    GHCOMP_SHARING_GUIDED = 3
};
enum { GHCOMP_CHUNK_POOL_PIECES = 256 };

struct ghcomp_chunk_pool {
    uint64_t count;                /* iterations 0 .. count - 1; region */
    uint64_t chunk;                /* at least 1; region */
    int kind;                      /* enum ghcomp_sharing; region */
    uint32_t pieces;               /* static: region */
    uint32_t size;                 /* region: members of the team */
    _Atomic uint64_t taken GHCOMP_ALIGNED_PAIR; /* dynamic, guided: iterations handed out; atomic(relaxed) */
    _Atomic uint64_t claimed[GHCOMP_CHUNK_POOL_PIECES / 64]; /* static: a bit for each piece taken; atomic(relaxed) */
    _Atomic uint32_t closed GHCOMP_ALIGNED_PAIR; /* 1: nothing is left, or the region is cancelled */
    _Atomic uint32_t sleepers;     /* members that sleep until it is closed */
};

/* The chunks of a dynamic loop that a member has taken but not begun: iterations [begin, end), in chunks of size
   `chunk`. Belongs to the member's body; zeroed at first. */
struct ghcomp_chunk_reserve {
    uint64_t begin, end, chunk;
    uint64_t batch; /* how many chunks it took last time */
    uint64_t at;    /* when that was, in ticks */
};

void ghcomp_chunk_pool_start(struct ghcomp_chunk_pool *pool, int kind, uint64_t count, uint64_t chunk, uint32_t size);
/* Takes a chunk and stores it in [self->chunk_begin, self->chunk_end); false when nothing is left. */
bool ghcomp_chunk_pool_next(struct ghcomp_chunk_pool *pool, struct ghcomp_member *self);
/* The same, but takes several chunks at once while they are short, and stores one of them; the rest goes to the
   reserve. `now`: in ticks. */
bool ghcomp_chunk_pool_next_of(struct ghcomp_chunk_pool *pool, struct ghcomp_member *self,
                               struct ghcomp_chunk_reserve *reserve, uint64_t now);
/* Takes a chunk from the reserve; false: the reserve is empty. */
static inline bool ghcomp_chunk_reserve_next(struct ghcomp_chunk_reserve *reserve, uint64_t *begin, uint64_t *end)
{
    uint64_t left = reserve->end - reserve->begin;
    if (left == 0)
        return false;
    *begin = reserve->begin;
    *end = reserve->begin += left < reserve->chunk ? left : reserve->chunk;
    return true;
}
/* From now on no chunk is handed out. Wakes the members that sleep. */
void ghcomp_chunk_pool_close(struct ghcomp_chunk_pool *pool);

static inline bool ghcomp_chunk_pool_closed(struct ghcomp_chunk_pool *pool)
{
    return ghcomp_load_relaxed(&pool->closed) != 0;
}
/* Sleeps until the pool is closed, for that many nanoseconds at most. */
void ghcomp_chunk_pool_sleep(struct ghcomp_chunk_pool *pool, uint32_t nanoseconds);
