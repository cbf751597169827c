/* A pool of chunks: a loop whose iterations go to the members that have a Capability.
 *
 * The work shares of core/ bind parts of a static schedule to members: one member that waits for a Capability delays
 * all the others. Here a member that is in Haskell takes what is left, other members' static pieces included. So a
 * member may join late or not at all.
 *
 *   static    The range is cut into as many pieces as there are members, 256 at most. Member i takes piece i first,
 *             if it is free, and then the next free piece after it.
 *   dynamic   Chunks of one size.
 *   guided    Chunks of 1/members of what is left, but no smaller than that size.
 *
 * Batches. Two members that take chunks in turns send the line of `taken` to each other for each chunk, which costs
 * more than a short chunk takes. So a member takes several chunks of a dynamic loop by one addition, and begins them
 * one by one. It takes twice as many as the last time if those took less than SHORT, otherwise half as many, and at
 * most MOST. No other member can take them then; so if they would be more than 1/A_PART of a member's equal share of
 * what is left, it takes one chunk. A member's first chunk is taken alone, since its time is not known. The reserve
 * belongs to the member's body, so that an interrupted body still has it when it is resumed. In a cancelled region the
 * member drops its reserve; but if the loop is to be resumed it executes it, because the pool no longer has these
 * chunks (eachChunk in OpenMP.Internal.Loop).
 *
 * Chunks are handed out by relaxed operations: what an iteration reads was there before the region began, and what it
 * writes is ordered by the region's end.
 *
 * Closing. The first member that finds nothing left closes the pool, so that members that wait for a Capability leave.
 * Such a member counts itself in `sleepers`, then sleeps while `closed` is 0. A member that closes the pool writes
 * `closed`, then reads `sleepers`. Both pairs are sequentially consistent, so either the closer sees the sleeper and
 * wakes it, or the sleeper sees that the pool is closed.
 *
 * Called by region.c. Covered by test/unit/chunk_pool.c and test/hs/library/ParallelTest.hs.
 */
#include "haskell/chunk_pool.h"

#include <limits.h>
#include <string.h>

#include "core/cpu/wait.h"
#include "host/os.h"

enum { SHORT = GHCOMP_TICKS_PER_US, MOST = 32, A_PART = 8 };

void ghcomp_chunk_pool_start(struct ghcomp_chunk_pool *pool, int kind, uint64_t count, uint64_t chunk, uint32_t size)
{
    memset(pool, 0, sizeof *pool);
    pool->count = count;
    pool->chunk = chunk == 0 ? 1 : chunk;
    pool->kind = kind;
    pool->size = size;
    pool->pieces = size < GHCOMP_CHUNK_POOL_PIECES ? size : GHCOMP_CHUNK_POOL_PIECES;
    if (count < pool->pieces)
        pool->pieces = (uint32_t)count;
    if (count == 0)
        ghcomp_store_relaxed(&pool->closed, 1u);
}

void ghcomp_chunk_pool_close(struct ghcomp_chunk_pool *pool)
{
    if (ghcomp_xchg_seqcst(&pool->closed, 1u) == 0 && ghcomp_load_seqcst(&pool->sleepers) != 0)
        ghcomp_os_wake(&pool->closed, INT_MAX);
}

void ghcomp_chunk_pool_sleep(struct ghcomp_chunk_pool *pool, uint32_t nanoseconds)
{
    ghcomp_add_seqcst(&pool->sleepers, 1u);
    if (ghcomp_load_seqcst(&pool->closed) == 0)
        ghcomp_wait_park_for(&pool->closed, 0, nanoseconds);
    ghcomp_sub_relaxed(&pool->sleepers, 1u);
}

/* Where a piece begins, without overflow: the first `count % pieces` pieces are longer by one iteration. */
static inline uint64_t piece_begin(const struct ghcomp_chunk_pool *pool, uint32_t piece)
{
    uint64_t rest = pool->count % pool->pieces;
    return pool->count / pool->pieces * piece + (piece < rest ? piece : rest);
}

static bool next_piece(struct ghcomp_chunk_pool *pool, struct ghcomp_member *self)
{
    uint32_t piece = self->tid < pool->pieces ? self->tid : self->tid % pool->pieces;
    for (uint32_t tries = 0; tries < pool->pieces; tries++, piece = piece + 1 < pool->pieces ? piece + 1 : 0) {
        _Atomic uint64_t *word = &pool->claimed[piece / 64];
        uint64_t bit = UINT64_C(1) << piece % 64;
        if ((ghcomp_load_relaxed(word) & bit) || (ghcomp_or_relaxed(word, bit) & bit))
            continue;
        self->chunk_begin = piece_begin(pool, piece);
        self->chunk_end = piece_begin(pool, piece + 1);
        return true;
    }
    return false;
}

/* Takes a chunk by cas: for chunks whose size depends on what is left, or that are so large that an addition could wrap
   around. */
static bool next_careful(struct ghcomp_chunk_pool *pool, struct ghcomp_member *self)
{
    uint64_t begin = ghcomp_load_relaxed(&pool->taken), left, chunk;
    do {
        if (begin >= pool->count)
            return false;
        left = pool->count - begin;
        chunk = pool->kind == GHCOMP_SHARING_GUIDED ? left / pool->size : pool->chunk;
        if (chunk < pool->chunk)
            chunk = pool->chunk;
        if (chunk > left)
            chunk = left;
    } while (!ghcomp_cas_relaxed(&pool->taken, &begin, begin + chunk));
    self->chunk_begin = begin;
    self->chunk_end = begin + chunk;
    return true;
}

static inline bool take(struct ghcomp_chunk_pool *pool, struct ghcomp_member *self)
{
    if (pool->kind == GHCOMP_SHARING_STATIC)
        return next_piece(pool, self);
    if (pool->kind == GHCOMP_SHARING_GUIDED || ghcomp_unlikely((pool->count | pool->chunk) >> 48 != 0))
        return next_careful(pool, self);
    /* Fewer than 2^16 members add to `taken` after the end is reached, so it cannot wrap around. */
    uint64_t begin = ghcomp_add_relaxed(&pool->taken, pool->chunk);
    if (begin >= pool->count)
        return false;
    uint64_t left = pool->count - begin;
    self->chunk_begin = begin;
    self->chunk_end = begin + (left < pool->chunk ? left : pool->chunk);
    return true;
}

/* The number of chunks to take, at least one, when `left` iterations are left. `now` is in ticks. */
static uint64_t batch_of(const struct ghcomp_chunk_pool *pool, const struct ghcomp_chunk_reserve *reserve,
                         uint64_t left, uint64_t now)
{
    if (reserve->batch == 0)
        return 1;
    uint64_t batch = now - reserve->at < SHORT ? 2 * reserve->batch : (reserve->batch + 1) / 2;
    if (batch > MOST)
        batch = MOST;
    return batch * pool->chunk <= left / (A_PART * (uint64_t)pool->size) ? batch : 1;
}

bool ghcomp_chunk_pool_next_of(struct ghcomp_chunk_pool *pool, struct ghcomp_member *self,
                               struct ghcomp_chunk_reserve *reserve, uint64_t now)
{
    if (pool->kind != GHCOMP_SHARING_DYNAMIC || ghcomp_unlikely((pool->count | pool->chunk) >> 48 != 0))
        return ghcomp_chunk_pool_next(pool, self);
    uint64_t taken = ghcomp_load_relaxed(&pool->taken);
    if (ghcomp_unlikely(ghcomp_chunk_pool_closed(pool)))
        return false;
    uint64_t batch = taken < pool->count ? batch_of(pool, reserve, pool->count - taken, now) : 1;
    reserve->batch = batch;
    reserve->at = now;
    uint64_t begin = ghcomp_add_relaxed(&pool->taken, batch * pool->chunk);
    if (begin >= pool->count) {
        ghcomp_chunk_pool_close(pool);
        return false;
    }
    uint64_t left = pool->count - begin;
    reserve->begin = begin;
    reserve->end = begin + (left < batch * pool->chunk ? left : batch * pool->chunk);
    reserve->chunk = pool->chunk;
    return ghcomp_chunk_reserve_next(reserve, &self->chunk_begin, &self->chunk_end);
}

bool ghcomp_chunk_pool_next(struct ghcomp_chunk_pool *pool, struct ghcomp_member *self)
{
    if (ghcomp_unlikely(ghcomp_chunk_pool_closed(pool)))
        return false;
    if (ghcomp_likely(take(pool, self)))
        return true;
    ghcomp_chunk_pool_close(pool);
    return false;
}
