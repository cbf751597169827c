/* Memory for explicit tasks. Blocks do not return to malloc before the thread that created the tasks ends: thieves may
 * look at a task that is gone (deque.h).
 *
 * Called by task.c. Covered by test/unit/task.c and the stress tests.
 */
#include "core/task/task_heap.h"

#include <stdlib.h>

#include "base/check.h"

_Static_assert(GHCOMP_TASK_ROOM >= 32, "most tasks' data lies in their block");

static void prepare(void *block, struct ghcomp_blocks *blocks)
{
    struct ghcomp_task *task = block;
    task->home = (struct ghcomp_task_heap *)blocks;
    ghcomp_store_relaxed(&task->refcount, GHCOMP_TASK_REFERENCES_RUNNING);
}

static void refill(struct ghcomp_task_heap **heap, size_t bytes)
{
    if (*heap == NULL)
        *heap = ghcomp_alloc_lines(sizeof **heap);
    ghcomp_blocks_refill(&(*heap)->blocks, bytes, offsetof(struct ghcomp_task, link), prepare);
}

void ghcomp_task_heap_refill(struct ghcomp_thread *thread)
{
    refill(&thread->memory.tasks, GHCOMP_TASK_BLOCK);
}

void ghcomp_task_heap_refill_large(struct ghcomp_thread *thread)
{
    refill(&thread->memory.large_tasks, GHCOMP_TASK_LARGE_BLOCK);
}

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

static void free_heap(struct ghcomp_task_heap **heap)
{
    struct ghcomp_task_heap *old = *heap;
    *heap = NULL;
    if (old != NULL && ghcomp_blocks_free(&old->blocks))
        free(old);
}

void ghcomp_task_heap_free(struct ghcomp_thread *thread)
{
    free_heap(&thread->memory.tasks);
    free_heap(&thread->memory.large_tasks);
}
