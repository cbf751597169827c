/* Memory for explicit tasks: the fast halves. Protocol in task_heap.c. For task.c alone. */
#pragma once

#include "core/task.h"

struct ghcomp_task_heap {
    struct ghcomp_task *free;          /* owner only */
    struct ghcomp_task_chunk *chunks;  /* owner only: what malloc gave */
    uint64_t blocks;                   /* owner only: how many there are */
    _Atomic(struct ghcomp_task *) returned GHCOMP_ALIGNED_PAIR; /* cas_release pushes, xchg_acqrel takes all */
} GHCOMP_ALIGNED_PAIR;

/* The slow halves. */
struct ghcomp_task *ghcomp_task_heap_refill(struct ghcomp_thread *thread);
void ghcomp_task_heap_return(struct ghcomp_task *task);
void ghcomp_task_heap_big(struct ghcomp_task *task, size_t payload, size_t align);

/* What a block has room for. */
enum { GHCOMP_TASK_BLOCK = 4 * GHCOMP_CACHE_LINE, GHCOMP_TASK_ROOM = GHCOMP_TASK_BLOCK - GHCOMP_TASK_BYTES };

/* A block of the calling thread's if there is one at hand, else NULL. */
static inline struct ghcomp_task *ghcomp_task_heap_have(struct ghcomp_thread *thread)
{
    struct ghcomp_task_heap *heap = thread->heap;
    struct ghcomp_task *task;
    if (ghcomp_unlikely(heap == NULL || (task = heap->free) == NULL))
        return NULL;
    heap->free = task->next;
    return task;
}

/* A block of the calling thread's. Fields that say how tasks have ended (holds, reported, event, ended, node, table)
   are as they must be when a task starts: those that change them put them back. */
static inline struct ghcomp_task *ghcomp_task_heap_get(struct ghcomp_thread *thread)
{
    struct ghcomp_task *task = ghcomp_task_heap_have(thread);
    return ghcomp_likely(task != NULL) ? task : ghcomp_task_heap_refill(thread);
}

/* A block of the calling thread's own. */
static inline void ghcomp_task_heap_put_own(struct ghcomp_task *task)
{
    struct ghcomp_task_heap *heap = task->home;
    task->next = heap->free;
    heap->free = task;
}

/* `thread` is the calling one, or NULL. */
static inline void ghcomp_task_heap_put(struct ghcomp_thread *thread, struct ghcomp_task *task)
{
    struct ghcomp_task_heap *heap = task->home;
    if (ghcomp_likely(thread != NULL && heap == thread->heap))
        ghcomp_task_heap_put_own(task);
    else
        ghcomp_task_heap_return(task);
}
