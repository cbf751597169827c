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

/* The form of blocks: `bytes` is a multiple of a cache line, `link` the offset of a block's link, `at_once` the number
   of blocks in one malloc. `prepare`, if not NULL, is called for each new block, which is zeroed. */
struct ghcomp_block_form {
    size_t bytes, link, at_once;
    void (*prepare)(void *block, struct ghcomp_blocks *blocks);
};
enum { GHCOMP_BLOCKS_AT_ONCE = 32 }; /* of small ones */

/* Owner, when `free` is empty: fills it with the blocks that others returned; false: there are none. */
bool ghcomp_blocks_collect(struct ghcomp_blocks *blocks);
/* Owner: puts new blocks on `free`. */
void ghcomp_blocks_grow(struct ghcomp_blocks *blocks, const struct ghcomp_block_form *form);
/* Owner, when `free` is empty: collects or, if that gives nothing, grows. */
void ghcomp_blocks_refill(struct ghcomp_blocks *blocks, const struct ghcomp_block_form *form);
/* Any thread but the owner: gives back a chain of blocks. */
void ghcomp_blocks_return(struct ghcomp_blocks *blocks, struct ghcomp_block *first, struct ghcomp_block *last);
/* Owner, at its end: frees all blocks, if all have been given back. False: some have not, and all stay. */
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
