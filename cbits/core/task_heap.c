/* Memory for explicit tasks: blocks of one size from a list of free ones that each thread has, so that a task in a
 * steady state costs no call of malloc and no lock.
 *
 *   1. A thread takes blocks from its own heap only, and a block belongs to that heap (task->home) for good.
 *   2. The thread itself puts it back onto `free`. Another thread, which has run the task, pushes it onto `returned`
 *      (cas_release).
 *   3. When `free` is empty, the thread takes `returned` whole (xchg_acqrel): nothing is ever popped from it singly, so
 *      that the usual trouble of such stacks, a top that goes away and comes back, cannot arise.
 *
 * Blocks are never given back to malloc while the thread lives: thieves may look at a task that is gone (deque.h), and
 * the number of blocks is bounded by the tasks that were unfinished at one time. Data that does not fit is memory of
 * its own.
 *
 * A thread may end while tasks that it made are unfinished (detached ones whose event nobody has fulfilled): then its
 * heap stays behind, and whoever ends them still puts them there. That is the only leak, and the program's own.
 *
 * Called by task.c. Covered by test/unit/task.c and the stress tests.
 */
#include "core/task_heap.h"

#include <stdlib.h>

#include "core/check.h"

enum { BLOCKS_AT_ONCE = 32 };
_Static_assert(GHCOMP_TASK_ROOM >= 32, "most tasks' data lies in their block");

struct ghcomp_task_chunk {
    struct ghcomp_task_chunk *next;
    char blocks[BLOCKS_AT_ONCE][GHCOMP_TASK_BLOCK] GHCOMP_ALIGNED;
};

static struct ghcomp_task *new_chunk(struct ghcomp_task_heap *heap)
{
    struct ghcomp_task_chunk *chunk = ghcomp_alloc_lines(sizeof *chunk);
    chunk->next = heap->chunks;
    heap->chunks = chunk;
    heap->blocks += BLOCKS_AT_ONCE;
    struct ghcomp_task *task = NULL;
    for (int i = BLOCKS_AT_ONCE; i-- > 0;) {
        struct ghcomp_task *block = (struct ghcomp_task *)chunk->blocks[i];
        block->home = heap;
        ghcomp_store_relaxed(&block->holds, GHCOMP_TASK_HOLDS_RUNNING);
        block->next = task;
        task = block;
    }
    return task;
}

/* Step 3. */
struct ghcomp_task *ghcomp_task_heap_refill(struct ghcomp_thread *thread)
{
    if (thread->heap == NULL)
        thread->heap = ghcomp_alloc_lines(sizeof *thread->heap);
    struct ghcomp_task_heap *heap = thread->heap;
    struct ghcomp_task *task = NULL;
    if (ghcomp_load_relaxed(&heap->returned) != NULL)
        task = ghcomp_xchg_acqrel(&heap->returned, NULL);
    if (task == NULL)
        task = new_chunk(heap);
    heap->free = task->next;
    return task;
}

/* Step 2, for a block of another thread's. */
void ghcomp_task_heap_return(struct ghcomp_task *task)
{
    struct ghcomp_task_heap *heap = task->home;
    struct ghcomp_task *top = ghcomp_load_relaxed(&heap->returned);
    do
        task->next = top;
    while (!ghcomp_cas_release(&heap->returned, &top, task));
}

/* Memory of its own for data that does not fit; task.c frees it. */
void ghcomp_task_heap_big(struct ghcomp_task *task, size_t payload, size_t align)
{
    if (align < 16)
        align = 16;
    if (payload > SIZE_MAX - align)
        ghcomp_fatal("task: %zu bytes of data are more than the address space holds", payload);
    task->data = aligned_alloc(align, (payload + align - 1) & ~(align - 1));
    if (task->data == NULL)
        ghcomp_fatal("task: out of memory for %zu bytes of data", payload);
    task->traits |= GHCOMP_TASK_BIG;
}

void ghcomp_task_heap_free(struct ghcomp_thread *thread)
{
    struct ghcomp_task_heap *heap = thread->heap;
    if (heap == NULL)
        return;
    thread->heap = NULL;
    uint64_t here = 0;
    for (struct ghcomp_task *task = heap->free; task != NULL; task = task->next)
        here++;
    for (struct ghcomp_task *task = ghcomp_xchg_acqrel(&heap->returned, NULL); task != NULL; task = task->next)
        here++;
    if (here != heap->blocks)
        return;
    while (heap->chunks != NULL) {
        struct ghcomp_task_chunk *chunk = heap->chunks;
        heap->chunks = chunk->next;
        free(chunk);
    }
    free(heap);
}
