/* Blocks of one size that a thread takes from its own free list, and that any thread gives back. Protocol: blocks.c.
 *
 * Every object in a block has a `struct ghcomp_block` in it; only the lists below use that, while the block is free.
 */
#pragma once

#include "base/atomic.h"

struct ghcomp_slab;

struct ghcomp_block {
    struct ghcomp_block *next;
};

struct ghcomp_blocks {
    struct ghcomp_block *free;         /* owner only */
    struct ghcomp_slab *slabs;         /* owner only: the memory that malloc gave */
    uint64_t count;                    /* owner only: blocks in all slabs */
    _Atomic(struct ghcomp_block *) returned GHCOMP_ALIGNED_PAIR; /* cas_release pushes, xchg_acqrel takes all */
} GHCOMP_ALIGNED_PAIR;

/* Owner, when `free` is empty: fills it with the blocks that others returned, or with new zeroed ones of `bytes` (a
   multiple of a cache line), each with its link at the offset `link`. `prepare`, if not NULL, is called for each new
   block. */
void ghcomp_blocks_refill(struct ghcomp_blocks *blocks, size_t bytes, size_t link,
                          void (*prepare)(void *block, struct ghcomp_blocks *blocks));
/* Any thread but the owner: gives back a chain of blocks. */
void ghcomp_blocks_return(struct ghcomp_blocks *blocks, struct ghcomp_block *first, struct ghcomp_block *last);
/* Owner, at its end: true, and frees all blocks, if all have been given back; else false, and they stay. */
bool ghcomp_blocks_free(struct ghcomp_blocks *blocks);

/* Owner: takes a block from `free`; NULL if that is empty. */
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
