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

void ghcomp_task_heap_refill(struct ghcomp_thread *thread)
{
    if (thread->memory.tasks == NULL)
        thread->memory.tasks = ghcomp_alloc_lines(sizeof *thread->memory.tasks);
    ghcomp_blocks_refill(&thread->memory.tasks->blocks, GHCOMP_TASK_BLOCK, offsetof(struct ghcomp_task, link), prepare);
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

void ghcomp_task_heap_free(struct ghcomp_thread *thread)
{
    struct ghcomp_task_heap *heap = thread->memory.tasks;
    thread->memory.tasks = NULL;
    if (heap != NULL && ghcomp_blocks_free(&heap->blocks))
        free(heap);
}
