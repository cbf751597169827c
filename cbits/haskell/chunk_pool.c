/* A loop shared out among the members that have a Capability.
 *
 * The work shares of core/ give each member of a team its part, and a static part belongs to one member for good: there
 * a member that waits for a Capability holds up all. Here whoever is in Haskell takes what is left, a static piece of
 * somebody else included, so that a member without a Capability is not missed and may join later or not at all.
 *
 *   static    the range is cut into as many pieces as there are members. Member i takes piece i first, as long as it is
 *             there, and then the next free one after it.
 *   dynamic   chunks of one size. guided: chunks of 1/members of what is left, but at least one size.
 *
 * Chunks are handed out by relaxed operations: what an iteration needs was there before the region began, and what it
 * leaves behind is ordered by the region's end.
 *
 * Closing. The first that finds nothing left closes the share, so that members who wait for a Capability leave. Such a
 * member counts itself in `sleepers`, then sleeps while `closed` is 0; who closes writes `closed`, then reads
 * `sleepers`: both pairs are sequentially consistent, so either the closer sees the sleeper and wakes it, or the
 * sleeper sees the share closed.
 *
 * Called by region.c. Covered by test/unit/chunk_pool.c and test/hs/library (ParallelTest).
 */
#include "haskell/chunk_pool.h"

#include <limits.h>
#include <string.h>

#include "core/cpu/wait.h"
#include "host/os.h"

void ghcomp_chunk_pool_start(struct ghcomp_chunk_pool *share, int kind, uint64_t count, uint64_t chunk, uint32_t size)
{
    memset(share, 0, sizeof *share);
    share->count = count;
    share->chunk = chunk == 0 ? 1 : chunk;
    share->kind = kind;
    share->size = size;
    share->pieces = size < GHCOMP_CHUNK_POOL_PIECES ? size : GHCOMP_CHUNK_POOL_PIECES;
    if (count < share->pieces)
        share->pieces = (uint32_t)count;
    if (count == 0)
        ghcomp_store_relaxed(&share->closed, 1u);
}

void ghcomp_chunk_pool_close(struct ghcomp_chunk_pool *share)
{
    if (ghcomp_xchg_seqcst(&share->closed, 1u) == 0 && ghcomp_load_seqcst(&share->sleepers) != 0)
        ghcomp_os_wake(&share->closed, INT_MAX);
}

void ghcomp_chunk_pool_sleep(struct ghcomp_chunk_pool *share, uint32_t nanoseconds)
{
    ghcomp_add_seqcst(&share->sleepers, 1u);
    if (ghcomp_load_seqcst(&share->closed) == 0)
        ghcomp_wait_park_for(&share->closed, 0, nanoseconds);
    ghcomp_sub_relaxed(&share->sleepers, 1u);
}

/* Where a piece begins, without overflow: the first `count % pieces` are longer by one. */
static inline uint64_t piece_begin(const struct ghcomp_chunk_pool *share, uint32_t piece)
{
    uint64_t rest = share->count % share->pieces;
    return share->count / share->pieces * piece + (piece < rest ? piece : rest);
}

static bool next_piece(struct ghcomp_chunk_pool *share, struct ghcomp_member *self)
{
    uint32_t piece = self->tid < share->pieces ? self->tid : self->tid % share->pieces;
    for (uint32_t tries = 0; tries < share->pieces; tries++, piece = piece + 1 < share->pieces ? piece + 1 : 0) {
        _Atomic uint64_t *word = &share->claimed[piece / 64];
        uint64_t bit = UINT64_C(1) << piece % 64;
        if ((ghcomp_load_relaxed(word) & bit) || (ghcomp_or_relaxed(word, bit) & bit))
            continue;
        self->chunk_begin = piece_begin(share, piece);
        self->chunk_end = piece_begin(share, piece + 1);
        return true;
    }
    return false;
}

/* Chunks whose size depends on what is left, or that are so large that adding one could wrap around. */
static bool next_careful(struct ghcomp_chunk_pool *share, struct ghcomp_member *self)
{
    uint64_t begin = ghcomp_load_relaxed(&share->taken), left, chunk;
    do {
        if (begin >= share->count)
            return false;
        left = share->count - begin;
        chunk = share->kind == GHCOMP_SHARING_GUIDED ? left / share->size : share->chunk;
        if (chunk < share->chunk)
            chunk = share->chunk;
        if (chunk > left)
            chunk = left;
    } while (!ghcomp_cas_relaxed(&share->taken, &begin, begin + chunk));
    self->chunk_begin = begin;
    self->chunk_end = begin + chunk;
    return true;
}

static inline bool take(struct ghcomp_chunk_pool *share, struct ghcomp_member *self)
{
    if (share->kind == GHCOMP_SHARING_STATIC)
        return next_piece(share, self);
    if (share->kind == GHCOMP_SHARING_GUIDED || ghcomp_unlikely((share->count | share->chunk) >> 48 != 0))
        return next_careful(share, self);
    /* Fewer than 2^16 members run past the end before they see that it is there, so this cannot wrap around. */
    uint64_t begin = ghcomp_add_relaxed(&share->taken, share->chunk);
    if (begin >= share->count)
        return false;
    uint64_t left = share->count - begin;
    self->chunk_begin = begin;
    self->chunk_end = begin + (left < share->chunk ? left : share->chunk);
    return true;
}

bool ghcomp_chunk_pool_next(struct ghcomp_chunk_pool *share, struct ghcomp_member *self)
{
    if (ghcomp_unlikely(ghcomp_chunk_pool_closed(share)))
        return false;
    if (ghcomp_likely(take(share, self)))
        return true;
    ghcomp_chunk_pool_close(share);
    return false;
}
