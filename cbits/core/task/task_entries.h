/* The entries of a team's queue: by priority, then by age. Those of priority 0, which nearly all tasks have, are a ring
 * in the order of their age; the others are a binary heap. Entry 0 is the first of all; 1 and the further ones are the
 * rest of the heap, in its own order, and then the rest of the ring.
 *
 * The lock of the queue orders the callers. Included by task_queue.c.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "core/task/task.h"
#include "core/tsan/races.h"

struct ghcomp_task_entry {
    struct ghcomp_task *task;
    struct ghcomp_deque *deque;    /* what lies there below `behind` was ready before it; NULL: nothing was */
    uint32_t behind;
    uint32_t age;
    bool pool;                     /* free agents may run it */
    bool deep;                     /* its parent is no implicit task */
};

static inline uint32_t ghcomp_task_entries_count(const struct ghcomp_task_entries *list)
{
    return list->heaped + list->ringed;
}

static inline struct ghcomp_task_entry *ghcomp_task_entries_ring(const struct ghcomp_task_entries *list, uint32_t at)
{
    return &list->ring[(list->head + at) & (list->ring_capacity - 1)];
}

static inline struct ghcomp_task_entry *ghcomp_task_entries_at(const struct ghcomp_task_entries *list, uint32_t at)
{
    return at < list->heaped ? &list->heap[at] : ghcomp_task_entries_ring(list, at - list->heaped);
}

/* Of two entries of the heap. */
static inline bool ghcomp_task_entries_before(const struct ghcomp_task_entry *a, const struct ghcomp_task_entry *b)
{
    return a->task->priority != b->task->priority ? a->task->priority > b->task->priority
                                                  : (int32_t)(a->age - b->age) < 0;
}

static inline void ghcomp_task_entries_sift_up(struct ghcomp_task_entry *heap, uint32_t at)
{
    struct ghcomp_task_entry entry = heap[at];
    while (at > 0 && ghcomp_task_entries_before(&entry, &heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = entry;
}

static inline void ghcomp_task_entries_sift_down(struct ghcomp_task_entry *heap, uint32_t count, uint32_t at)
{
    struct ghcomp_task_entry entry = heap[at];
    uint32_t child;
    while ((child = 2 * at + 1) < count) {
        if (child + 1 < count && ghcomp_task_entries_before(&heap[child + 1], &heap[child]))
            child++;
        if (!ghcomp_task_entries_before(&heap[child], &entry))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = entry;
}

/* Memory for twice as many entries as the full array has; that at `head` comes first. ThreadSanitizer does not know the
   lock. */
static __attribute__((noinline)) struct ghcomp_task_entry *
ghcomp_task_entries_grow(struct ghcomp_task_entry *old, uint32_t *capacity, uint32_t head)
{
    uint32_t count = *capacity, observers = ghcomp_observers_now();
    *capacity = count == 0 ? 64 : 2 * count;
    ghcomp_races_hide(observers);
    struct ghcomp_task_entry *entries = ghcomp_alloc(*capacity * sizeof *entries);
    if (count > 0) {
        head %= count;
        memcpy(entries, old + head, (count - head) * sizeof *entries);
        memcpy(entries + count - head, old, head * sizeof *entries);
    }
    free(old);
    ghcomp_races_show(observers);
    return entries;
}

static __attribute__((noinline)) void ghcomp_task_entries_add_heap(struct ghcomp_task_entries *list,
                                                                   const struct ghcomp_task_entry *entry)
{
    if (list->heaped == list->heap_capacity)
        list->heap = ghcomp_task_entries_grow(list->heap, &list->heap_capacity, 0);
    list->heap[list->heaped] = *entry;
    ghcomp_task_entries_sift_up(list->heap, list->heaped++);
}

static inline void ghcomp_task_entries_add(struct ghcomp_task_entries *list, const struct ghcomp_task_entry *entry)
{
    if (ghcomp_unlikely(entry->task->priority > 0)) {
        struct ghcomp_task_entry in_memory = *entry; /* so that the caller's may be in registers */
        ghcomp_task_entries_add_heap(list, &in_memory);
        return;
    }
    if (ghcomp_unlikely(list->ringed == list->ring_capacity)) {
        list->ring = ghcomp_task_entries_grow(list->ring, &list->ring_capacity, list->head);
        list->head = 0;
    }
    *ghcomp_task_entries_ring(list, list->ringed++) = *entry;
}

static __attribute__((noinline)) void ghcomp_task_entries_remove_heap(struct ghcomp_task_entries *list, uint32_t at)
{
    list->heap[at] = list->heap[--list->heaped];
    if (at < list->heaped) {
        ghcomp_task_entries_sift_down(list->heap, list->heaped, at);
        ghcomp_task_entries_sift_up(list->heap, at);
    }
}

static inline void ghcomp_task_entries_remove(struct ghcomp_task_entries *list, uint32_t at)
{
    if (ghcomp_unlikely(at < list->heaped)) {
        ghcomp_task_entries_remove_heap(list, at);
        return;
    }
    for (at -= list->heaped; ghcomp_unlikely(at > 0); at--)
        *ghcomp_task_entries_ring(list, at) = *ghcomp_task_entries_ring(list, at - 1);
    list->head++;
    list->ringed--;
}
