/* Blocks of one size, with a free list for each thread: a steady state needs neither malloc nor locks.
 *
 *   1. A thread takes blocks from its own list only; a block belongs to one list for ever.
 *   2. The thread itself puts a block back onto `free`. Other threads push it onto `returned` (cas_release).
 *   3. When `free` is empty, the thread takes all of `returned` (xchg_acqrel). No block is ever popped from `returned`
 *      singly, so the ABA problem cannot arise.
 *
 * The blocks are freed only when their thread ends, so their number is the maximum ever in use. If a thread ends while
 * others still have some of its blocks (tasks with an unfulfilled event), its blocks stay, and those threads may still
 * return them. Nothing else leaks, and this leak is the program's fault.
 *
 * Called by task_heap.{c,h}, taskdep_heap.c, taskdep_domain.c and taskdep_node.h. Covered by
 * test/unit/{task,task_memory,taskdep,taskdep_memory}.c and the stress tests.
 */
#include "base/blocks.h"

#include <stdlib.h>

#include "base/check.h"

struct ghcomp_slab {
    struct ghcomp_slab *next;
    char blocks[] GHCOMP_ALIGNED_PAIR;
};

bool ghcomp_blocks_collect(struct ghcomp_blocks *blocks)
{
    if (ghcomp_load_relaxed(&blocks->returned) != NULL)
        blocks->free = ghcomp_xchg_acqrel(&blocks->returned, NULL);
    return blocks->free != NULL;
}

void ghcomp_blocks_grow(struct ghcomp_blocks *blocks, const struct ghcomp_block_form *form)
{
    struct ghcomp_slab *slab = ghcomp_alloc_lines(sizeof *slab + form->at_once * form->bytes);
    slab->next = blocks->slabs;
    blocks->slabs = slab;
    blocks->count += form->at_once;
    for (size_t i = form->at_once; i-- > 0;) {
        char *memory = slab->blocks + i * form->bytes;
        struct ghcomp_block *block = (struct ghcomp_block *)(memory + form->link);
        if (form->prepare != NULL)
            form->prepare(memory, blocks);
        ghcomp_blocks_put(blocks, block, block);
    }
}

void ghcomp_blocks_refill(struct ghcomp_blocks *blocks, const struct ghcomp_block_form *form)
{
    if (!ghcomp_blocks_collect(blocks))
        ghcomp_blocks_grow(blocks, form);
}

void ghcomp_blocks_return(struct ghcomp_blocks *blocks, struct ghcomp_block *first, struct ghcomp_block *last)
{
    struct ghcomp_block *top = ghcomp_load_relaxed(&blocks->returned);
    do
        last->next = top;
    while (!ghcomp_cas_release(&blocks->returned, &top, first));
}

static uint64_t length(const struct ghcomp_block *block)
{
    uint64_t count = 0;
    for (; block != NULL; block = block->next)
        count++;
    return count;
}

bool ghcomp_blocks_free(struct ghcomp_blocks *blocks)
{
    if (length(blocks->free) + length(ghcomp_xchg_acqrel(&blocks->returned, NULL)) != blocks->count)
        return false;
    while (blocks->slabs != NULL) {
        struct ghcomp_slab *slab = blocks->slabs;
        blocks->slabs = slab->next;
        free(slab);
    }
    return true;
}
