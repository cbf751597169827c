/* Memory for explicit tasks: a block (blocks.h) for each, with its data if that fits. For task.c alone. */
#pragma once

#include "base/blocks.h"
#include "core/task/task.h"

struct ghcomp_task_heap {
    struct ghcomp_blocks blocks;
};

/* The slow paths: refill makes the calling thread's list of free blocks longer; big gives data that does not fit memory
   of its own, which task.c frees. */
void ghcomp_task_heap_refill(struct ghcomp_thread *thread);
void ghcomp_task_heap_big(struct ghcomp_task *task, size_t payload, size_t align);

/* The size of a block, and the room for data in it. */
enum { GHCOMP_TASK_BLOCK = 4 * GHCOMP_CACHE_LINE, GHCOMP_TASK_ROOM = GHCOMP_TASK_BLOCK - GHCOMP_TASK_BYTES };

/* A block from the calling thread's list of free ones, or NULL. The fields that say how tasks have ended (refcount,
   reported, event, ended, node, table) are as they must be when a task starts: the code that changes them resets
   them. */
static inline struct ghcomp_task *ghcomp_task_heap_have(struct ghcomp_thread *thread)
{
    struct ghcomp_block *block;
    if (ghcomp_unlikely(thread->memory.tasks == NULL ||
                        (block = ghcomp_blocks_have(&thread->memory.tasks->blocks)) == NULL))
        return NULL;
    return (struct ghcomp_task *)((char *)block - offsetof(struct ghcomp_task, link));
}

static inline struct ghcomp_task *ghcomp_task_heap_get(struct ghcomp_thread *thread)
{
    struct ghcomp_task *task;
    while (ghcomp_unlikely((task = ghcomp_task_heap_have(thread)) == NULL))
        ghcomp_task_heap_refill(thread);
    return task;
}

/* Frees a block that is the calling thread's own. */
static inline void ghcomp_task_heap_put_own(struct ghcomp_task *task)
{
    ghcomp_blocks_put(&task->home->blocks, &task->link, &task->link);
}

/* `thread` is the calling one, or NULL. */
static inline void ghcomp_task_heap_put(struct ghcomp_thread *thread, struct ghcomp_task *task)
{
    if (ghcomp_likely(thread != NULL && task->home == thread->memory.tasks))
        ghcomp_task_heap_put_own(task);
    else
        ghcomp_blocks_return(&task->home->blocks, &task->link, &task->link);
}
