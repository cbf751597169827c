/* Memory for task dependences: blocks of one size, from a list of free ones that each thread has.
 *
 *   1. A thread takes blocks from its own heap only, and gives its own back to `free`: no lock, no malloc in a steady
 *      state.
 *   2. Other threads, which complete the tasks, push blocks onto `returned` (cas_release).
 *   3. When `free` is empty, the owner takes `returned` whole (xchg_acqrel). Nothing is popped from it singly, so a top
 *      that goes away and comes back does no harm.
 *
 * Blocks stay with the heap while its thread lives: there are as many as there were unfinished tasks and edges between
 * them at one time. When the thread ends with tasks unfinished (detached ones whose event nobody has fulfilled), the
 * heap stays behind, as the tasks themselves do: they still give their blocks to it.
 *
 * Called by taskdep.c and taskdep_mutex.c. Covered by test/unit/taskdep.c.
 */
#include <stdlib.h>

#include "core/check.h"
#include "core/taskdep.h"
#include "core/taskdep_node.h"

enum { BLOCKS_AT_ONCE = 31 };

struct ghcomp_depend_slab {
    struct ghcomp_depend_slab *next;
    char blocks[BLOCKS_AT_ONCE][GHCOMP_DEPEND_BLOCK] GHCOMP_ALIGNED_PAIR;
};

struct ghcomp_depend_heap *ghcomp_depend_heap_make(struct ghcomp_thread *thread)
{
    if (thread->depend_heap == NULL)
        thread->depend_heap = ghcomp_alloc_lines(sizeof *thread->depend_heap);
    return thread->depend_heap;
}

struct ghcomp_depend_block *ghcomp_depend_heap_refill(struct ghcomp_depend_heap *heap)
{
    struct ghcomp_depend_block *first = NULL;
    if (ghcomp_load_relaxed(&heap->returned) != NULL)
        first = ghcomp_xchg_acqrel(&heap->returned, NULL);
    if (first == NULL) {
        struct ghcomp_depend_slab *slab = ghcomp_alloc_lines(sizeof *slab);
        slab->next = heap->slabs;
        heap->slabs = slab;
        heap->blocks += BLOCKS_AT_ONCE;
        for (int i = BLOCKS_AT_ONCE; i-- > 0;) {
            struct ghcomp_depend_block *block = (struct ghcomp_depend_block *)slab->blocks[i];
            block->next = first;
            first = block;
        }
    }
    return first;
}

void ghcomp_depend_heap_return(struct ghcomp_depend_heap *heap, struct ghcomp_depend_block *first,
                               struct ghcomp_depend_block *last)
{
    struct ghcomp_depend_block *top = ghcomp_load_relaxed(&heap->returned);
    do
        last->next = top;
    while (!ghcomp_cas_release(&heap->returned, &top, first));
}

static uint64_t length(const struct ghcomp_depend_block *block)
{
    uint64_t count = 0;
    for (; block != NULL; block = block->next)
        count++;
    return count;
}

void ghcomp_depend_heap_free(struct ghcomp_thread *thread)
{
    struct ghcomp_depend_heap *heap = thread->depend_heap;
    if (heap == NULL)
        return;
    thread->depend_heap = NULL;
    free(heap->spare);
    heap->spare = NULL;
    if (length(heap->free) + length(ghcomp_xchg_acqrel(&heap->returned, NULL)) != heap->blocks)
        return;
    while (heap->slabs != NULL) {
        struct ghcomp_depend_slab *slab = heap->slabs;
        heap->slabs = slab->next;
        free(slab);
    }
    free(heap);
}
