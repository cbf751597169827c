/* Memory for explicit tasks. Blocks do not return to malloc before the thread that created the tasks ends: thieves may
 * read a task that is gone (deque.h).
 *
 * Sizes. Small and large blocks (task_heap.h) are as many as tasks were unfinished at one time. Data too large for them
 * goes into a block of one of five more sizes, which returns to the thread that made the task by the same list as the
 * others (blocks.c): malloc would take a lock, and return other memory each time. Each size has room for twice as much
 * as the one before, and for some words more: arrays of a power of two have a few other variables beside them. All are
 * odd numbers of cache lines, so that the structs at their beginnings do not compete for a few sets of the caches.
 *
 * Bounds. Blocks for much data would stay for long after a burst of such tasks. So a thread makes at most as many bytes
 * of each of these sizes as the tasks that may wait in its team have with up to four kilobytes each, of 1,024 tasks at
 * most. When all of them are in use, and for still more data, the struct has a small block and the data memory of its
 * own, which goes back to malloc with the task.
 *
 * Called by task.c. Covered by test/unit/{task,task_memory}.c and the stress tests.
 */
#include "core/task/task_heap.h"

#include <stdlib.h>

#include "base/check.h"

enum { FIRST_BYTES = 512, MORE_BYTES = 7 * GHCOMP_CACHE_LINE };
enum { KEPT_EACH = 5 * 1024, KEPT_MOST = 1024, SLAB_BYTES = 32 * 1024 };
enum { PLAIN_ALIGN = 16 }; /* of the data behind a struct */

_Static_assert(GHCOMP_TASK_ROOM >= 32, "most tasks' data lies in their block");

static void prepare(void *block, struct ghcomp_blocks *blocks)
{
    struct ghcomp_task *task = block;
    task->home = (struct ghcomp_task_heap *)blocks;
    ghcomp_store_relaxed(&task->refcount, GHCOMP_TASK_REFERENCES_RUNNING);
}

static struct ghcomp_block_form form_of(size_t bytes)
{
    size_t at_once = SLAB_BYTES / bytes;
    at_once = at_once < GHCOMP_BLOCKS_AT_ONCE ? at_once : GHCOMP_BLOCKS_AT_ONCE;
    return (struct ghcomp_block_form){bytes, offsetof(struct ghcomp_task, link), at_once, prepare};
}

static void refill(struct ghcomp_task_heap **heap, size_t bytes)
{
    struct ghcomp_block_form form = form_of(bytes);
    if (*heap == NULL)
        *heap = ghcomp_alloc_lines(sizeof **heap);
    ghcomp_blocks_refill(&(*heap)->blocks, &form);
}

void ghcomp_task_heap_refill(struct ghcomp_thread *thread)
{
    refill(&thread->memory.tasks, GHCOMP_TASK_BLOCK);
}

void ghcomp_task_heap_refill_large(struct ghcomp_thread *thread)
{
    refill(&thread->memory.large_tasks, GHCOMP_TASK_LARGE_BLOCK);
}

static size_t bytes_of(unsigned size)
{
    return ((size_t)FIRST_BYTES << size) + MORE_BYTES;
}

/* How many bytes of blocks of one size the calling thread may have. */
static size_t kept_bytes(void)
{
    uint32_t waiting = ghcomp_self()->team->task_room.any;
    return (size_t)KEPT_EACH * (waiting < KEPT_MOST ? waiting : KEPT_MOST);
}

/* A task with a block of that size; NULL: the thread has made as many as it may, and all are in use. */
static struct ghcomp_task *get_of(struct ghcomp_thread *thread, unsigned size)
{
    if (thread->memory.other_tasks == NULL)
        thread->memory.other_tasks = ghcomp_alloc_lines(GHCOMP_TASK_OTHERS * sizeof *thread->memory.other_tasks);
    struct ghcomp_task_heap *heap = &thread->memory.other_tasks[size];
    struct ghcomp_task *task;
    while (ghcomp_unlikely((task = ghcomp_task_heap_have_of(heap)) == NULL)) {
        struct ghcomp_block_form form = form_of(bytes_of(size));
        if (ghcomp_blocks_collect(&heap->blocks))
            continue;
        if ((heap->blocks.count + form.at_once) * form.bytes > kept_bytes())
            return NULL;
        ghcomp_blocks_grow(&heap->blocks, &form);
    }
    return ghcomp_task_heap_plain(task);
}

/* A task with a block that has room for so many bytes; NULL: there is none. */
static struct ghcomp_task *get_with_room(struct ghcomp_thread *thread, size_t room)
{
    if (room <= GHCOMP_TASK_LARGE_ROOM)
        return ghcomp_task_heap_get_large(thread);
    for (unsigned size = 0; size < GHCOMP_TASK_OTHERS; size++)
        if (room <= bytes_of(size) - GHCOMP_TASK_BYTES)
            return get_of(thread, size);
    return NULL;
}

struct ghcomp_task *ghcomp_task_heap_get_other(struct ghcomp_thread *thread, size_t payload, size_t align,
                                               unsigned flags)
{
    size_t frame = flags & GHCOMP_TASK_FLAG_FRAMED ? GHCOMP_TASK_FRAME : 0;
    size_t unit = align > PLAIN_ALIGN ? align : PLAIN_ALIGN;
    /* Blocks begin on cache lines. */
    size_t slack = unit <= GHCOMP_CACHE_LINE ? -(GHCOMP_TASK_BYTES + frame) & (unit - 1) : unit - PLAIN_ALIGN;
    struct ghcomp_task *task = payload <= SIZE_MAX - slack ? get_with_room(thread, payload + slack) : NULL;
    if (task != NULL) {
        uintptr_t begin = (uintptr_t)task->data + frame + slack;
        task->data = (void *)((begin & ~(uintptr_t)(unit - 1)) - frame);
        return task;
    }
    task = ghcomp_task_heap_get(thread);
    ghcomp_task_heap_big(task, payload, align, flags);
    return task;
}

void ghcomp_task_heap_big(struct ghcomp_task *task, size_t payload, size_t align, unsigned flags)
{
    size_t unit = align > GHCOMP_CACHE_LINE ? align : GHCOMP_CACHE_LINE;
    size_t lead = flags & GHCOMP_TASK_FLAG_FRAMED ? GHCOMP_TASK_LEAD : 0;
    if (payload > SIZE_MAX - unit - lead)
        ghcomp_fatal("task: %zu bytes of data are more than the address space holds", payload);
    char *memory = aligned_alloc(unit, (lead + payload + unit - 1) & ~(unit - 1));
    if (memory == NULL)
        ghcomp_fatal("task: out of memory for %zu bytes of data", payload);
    task->data = memory + lead;
    task->traits |= GHCOMP_TASK_BIG;
}

static void free_heaps(struct ghcomp_task_heap **heaps, unsigned count)
{
    struct ghcomp_task_heap *old = *heaps;
    bool all = true;
    *heaps = NULL;
    for (unsigned i = 0; old != NULL && i < count; i++)
        all &= ghcomp_blocks_free(&old[i].blocks);
    if (all)
        free(old);
}

void ghcomp_task_heap_free(struct ghcomp_thread *thread)
{
    free_heaps(&thread->memory.tasks, 1);
    free_heaps(&thread->memory.large_tasks, 1);
    free_heaps(&thread->memory.other_tasks, GHCOMP_TASK_OTHERS);
}
