/* Blocks of one size that a thread takes from a list of its own and that any thread gives back. Protocol in blocks.c.
 *
 * What lies in a block has a `struct ghcomp_block` somewhere, which only whoever has the block free may use.
 */
#pragma once

#include "base/atomic.h"

struct ghcomp_slab;

struct ghcomp_block {
    struct ghcomp_block *next;
};

struct ghcomp_blocks {
    struct ghcomp_block *free;         /* owner only */
    struct ghcomp_slab *slabs;         /* owner only: what malloc gave */
    uint64_t count;                    /* owner only: blocks in all slabs */
    _Atomic(struct ghcomp_block *) returned GHCOMP_ALIGNED_PAIR; /* cas_release pushes, xchg_acqrel takes all */
} GHCOMP_ALIGNED_PAIR;

/* Owner, when `free` is empty: fills it with what others returned, or with new blocks of `bytes` (a multiple of a cache
   line; zeroed), whose link is at the offset `link`. `prepare`, if not NULL, is called for each new block. */
void ghcomp_blocks_refill(struct ghcomp_blocks *blocks, size_t bytes, size_t link,
                          void (*prepare)(void *block, struct ghcomp_blocks *blocks));
/* Any thread but the owner: gives back a chain of blocks. */
void ghcomp_blocks_return(struct ghcomp_blocks *blocks, struct ghcomp_block *first, struct ghcomp_block *last);
/* Owner, at its end: frees all blocks and says true if they are all there; else they stay for whoever has some. */
bool ghcomp_blocks_free(struct ghcomp_blocks *blocks);

/* Owner: a free block that is at hand, or NULL. */
static inline struct ghcomp_block *ghcomp_blocks_have(struct ghcomp_blocks *blocks)
{
    struct ghcomp_block *block = blocks->free;
    if (ghcomp_likely(block != NULL))
        blocks->free = block->next;
    return block;
}

/* Owner: gives back a chain of blocks. */
static inline void ghcomp_blocks_put(struct ghcomp_blocks *blocks, struct ghcomp_block *first,
                                     struct ghcomp_block *last)
{
    last->next = blocks->free;
    blocks->free = first;
}
