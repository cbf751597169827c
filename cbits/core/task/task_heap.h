/* Memory for explicit tasks: a block (blocks.h) for each, with its data if that fits. gcc's tasks mostly have a few
 * words of data, clang's never less than forty bytes: these get small and large blocks here. More data, or data with
 * an alignment, gets a block of another size, or memory of malloc's: task_heap.c. For task.c and task_now.h. */
#pragma once

#include "base/blocks.h"
#include "core/task/task.h"

struct ghcomp_task_heap {
    struct ghcomp_blocks blocks;
};

/* The slow paths: refill and refill_large make the calling thread's lists of free blocks longer. get_other is
   ghcomp_task_heap_get for data of any size and alignment; GHCOMP_TASK_FLAG_FRAMED is for alignments up to a cache
   line. big gives a task's data memory of its own, which task_life.c frees. */
void ghcomp_task_heap_refill(struct ghcomp_thread *thread);
void ghcomp_task_heap_refill_large(struct ghcomp_thread *thread);
struct ghcomp_task *ghcomp_task_heap_get_other(struct ghcomp_thread *thread, size_t payload, size_t align,
                                               unsigned flags);
void ghcomp_task_heap_big(struct ghcomp_task *task, size_t payload, size_t align, unsigned flags);

/* The memory that big has given it. */
static inline void *ghcomp_task_heap_memory(const struct ghcomp_task *task)
{
    return (void *)((uintptr_t)task->data & ~(uintptr_t)(GHCOMP_CACHE_LINE - 1));
}

/* The sizes of small and large blocks, and the room for data in them; and how many other sizes there are. */
enum { GHCOMP_TASK_BLOCK = 4 * GHCOMP_CACHE_LINE, GHCOMP_TASK_ROOM = GHCOMP_TASK_BLOCK - GHCOMP_TASK_BYTES };
enum {
    GHCOMP_TASK_LARGE_BLOCK = 6 * GHCOMP_CACHE_LINE,
    GHCOMP_TASK_LARGE_ROOM = GHCOMP_TASK_LARGE_BLOCK - GHCOMP_TASK_BYTES
};
enum { GHCOMP_TASK_OTHERS = 5 };

/* A block from the calling thread's list of free ones, or NULL. The fields that say how tasks have ended (refcount,
   reported, event, ended, node, table) are as they must be when a task starts: the code that changes them resets
   them. */
static inline struct ghcomp_task *ghcomp_task_heap_have_of(struct ghcomp_task_heap *heap)
{
    struct ghcomp_block *block;
    if (ghcomp_unlikely(heap == NULL || (block = ghcomp_blocks_have(&heap->blocks)) == NULL))
        return NULL;
    return (struct ghcomp_task *)((char *)block - offsetof(struct ghcomp_task, link));
}

static inline struct ghcomp_task *ghcomp_task_heap_have(struct ghcomp_thread *thread)
{
    return ghcomp_task_heap_have_of(thread->memory.tasks);
}

/* The task has no traits, and its data lies behind it. */
static inline struct ghcomp_task *ghcomp_task_heap_plain(struct ghcomp_task *task)
{
    task->traits = 0;
    task->data = (char *)task + GHCOMP_TASK_BYTES;
    return task;
}

static inline struct ghcomp_task *ghcomp_task_heap_get(struct ghcomp_thread *thread)
{
    struct ghcomp_task *task;
    while (ghcomp_unlikely((task = ghcomp_task_heap_have(thread)) == NULL))
        ghcomp_task_heap_refill(thread);
    return ghcomp_task_heap_plain(task);
}

static inline struct ghcomp_task *ghcomp_task_heap_get_large(struct ghcomp_thread *thread)
{
    struct ghcomp_task *task;
    while (ghcomp_unlikely((task = ghcomp_task_heap_have_of(thread->memory.large_tasks)) == NULL))
        ghcomp_task_heap_refill_large(thread);
    return ghcomp_task_heap_plain(task);
}

/* Frees a block that is the calling thread's own. */
static inline void ghcomp_task_heap_put_own(struct ghcomp_task *task)
{
    ghcomp_blocks_put(&task->home->blocks, &task->link, &task->link);
}

static inline bool ghcomp_task_heap_owns(const struct ghcomp_thread *thread, const struct ghcomp_task *task)
{
    const struct ghcomp_task_heap *home = task->home;
    if (home == thread->memory.tasks || home == thread->memory.large_tasks)
        return true;
    return (uintptr_t)home - (uintptr_t)thread->memory.other_tasks < GHCOMP_TASK_OTHERS * sizeof *home;
}

/* `thread` is the calling one, or NULL. */
static inline void ghcomp_task_heap_put(struct ghcomp_thread *thread, struct ghcomp_task *task)
{
    if (ghcomp_likely(thread != NULL && ghcomp_task_heap_owns(thread, task)))
        ghcomp_task_heap_put_own(task);
    else
        ghcomp_blocks_return(&task->home->blocks, &task->link, &task->link);
}
