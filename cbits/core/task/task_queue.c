/* The team's queue of ready tasks: tasks with a priority, tasks that a thread outside the team makes ready, tasks in
 * libgomp's order that another thread than their maker makes ready, or the maker when its deque is full
 * (taskdep_complete.c), tasks that free agents make or may run (task_threadset.c), and tasks that a thread in a
 * transparent task has moved here (task_take.c). Under a lock, by priority and then by age (task_entries.h).
 *
 * It is off the common path: members read `count` without the lock to see that it is empty.
 *
 * An entry may be *behind* tasks in its maker's deque, which were ready before it. A thread that takes the oldest tasks
 * takes those first.
 *
 * Called by task.c, taskdep_complete.c and task_take.c. Covered by test/unit/task.c, test/conformance/task/priority.c
 * and test/conformance/order/released.c.
 */
#include <stdlib.h>

#include "core/sync/lock.h"
#include "core/task/deque.h"
#include "core/task/task.h"
#include "core/task/task_entries.h"
#include "core/task/taskdep.h"

/* Adds to a count that threads read without the lock. */
static inline void change(_Atomic uint32_t *word, bool counts, uint32_t by)
{
    if (ghcomp_unlikely(counts))
        ghcomp_store_relaxed(word, ghcomp_load_relaxed(word) + by);
}

static inline void add(struct ghcomp_task_queue *queue, struct ghcomp_task_entry entry)
{
    uint32_t sequence = ghcomp_load_relaxed(&queue->sequence);
    entry.age = sequence;
    entry.deep = ghcomp_load_relaxed(&entry.task->depth) > 1;
    ghcomp_store_relaxed(&queue->sequence, sequence + 1);
    change(&queue->pool, entry.pool, 1);
    change(&queue->deep, entry.deep, 1);
    ghcomp_task_entries_add(&queue->entries, &entry);
}

void ghcomp_task_queue_put(struct ghcomp_team *team, struct ghcomp_task *task)
{
    struct ghcomp_task_queue *queue = &team->queue;
    bool pool = (task->traits & GHCOMP_TASK_THREADSET) && task->mark == GHCOMP_THREADSET_POOL;
    ghcomp_lock_take(&queue->lock);
    add(queue, (struct ghcomp_task_entry){.task = task, .pool = pool});
    ghcomp_store_relaxed(&queue->count, ghcomp_task_entries_count(&queue->entries));
    ghcomp_lock_give(&queue->lock);
}

void ghcomp_task_queue_release_begin(struct ghcomp_team *team)
{
    ghcomp_lock_take(&team->queue.lock);
    ghcomp_store_relaxed(&team->queue.count, ghcomp_load_relaxed(&team->queue.count) | GHCOMP_QUEUE_RELEASING);
}

void ghcomp_task_queue_release(struct ghcomp_team *team, struct ghcomp_task *task, struct ghcomp_deque *deque,
                               uint32_t behind)
{
    add(&team->queue, (struct ghcomp_task_entry){.task = task, .deque = deque, .behind = behind});
}

bool ghcomp_task_queue_release_end(struct ghcomp_team *team)
{
    uint32_t count = ghcomp_task_entries_count(&team->queue.entries);
    ghcomp_store_relaxed(&team->queue.count, count);
    ghcomp_lock_give(&team->queue.lock);
    return count > 0;
}

/* What a search is for. */
struct wanted {
    struct ghcomp_task *ancestor;      /* a descendant of it; NULL: any */
    const struct ghcomp_task *later;   /* one that ghcomp_depend_before says comes before it; NULL: any */
    bool pool;                         /* one that free agents may run */
};

static inline bool fits(const struct ghcomp_task_entry *entry, struct wanted wanted)
{
    return (!wanted.pool || entry->pool) &&
           (wanted.ancestor == NULL || ghcomp_task_descends(entry->task, wanted.ancestor)) &&
           (wanted.later == NULL || ghcomp_depend_before(entry->task, wanted.later));
}

/* The index of the first entry that fits, or the number of entries. */
static uint32_t find(const struct ghcomp_task_entries *entries, struct wanted wanted)
{
    uint32_t count = ghcomp_task_entries_count(entries), best = count;
    for (uint32_t i = 0; i < count && (best == count || i < entries->heaped); i++) {
        const struct ghcomp_task_entry *entry = ghcomp_task_entries_at(entries, i);
        if (fits(entry, wanted) &&
            (best == count || ghcomp_task_entries_before(entry, ghcomp_task_entries_at(entries, best))))
            best = i;
        if (best == 0)
            break; /* no other one is before it */
    }
    return best;
}

/* Takes an entry out, under the lock; NULL if there is none of that index. */
static inline __attribute__((always_inline)) struct ghcomp_task *take_out(struct ghcomp_task_queue *queue, uint32_t at)
{
    uint32_t count = ghcomp_task_entries_count(&queue->entries);
    if (at >= count)
        return NULL;
    const struct ghcomp_task_entry *entry = ghcomp_task_entries_at(&queue->entries, at);
    struct ghcomp_task *task = entry->task;
    change(&queue->pool, entry->pool, UINT32_MAX);
    change(&queue->deep, entry->deep, UINT32_MAX);
    ghcomp_task_entries_remove(&queue->entries, at);
    ghcomp_store_relaxed(&queue->count, count - 1);
    return task;
}

static struct ghcomp_task *get(struct ghcomp_team *team, struct wanted wanted)
{
    struct ghcomp_task_queue *queue = &team->queue;
    ghcomp_lock_take(&queue->lock);
    struct ghcomp_task *task = take_out(queue, find(&queue->entries, wanted));
    ghcomp_lock_give(&queue->lock);
    return task;
}

struct ghcomp_task *ghcomp_task_queue_get_before(struct ghcomp_team *team, const struct ghcomp_task *task, bool pool)
{
    return get(team, (struct wanted){.later = task, .pool = pool});
}

struct ghcomp_task *ghcomp_task_queue_get(struct ghcomp_team *team, struct ghcomp_task *ancestor)
{
    /* In a team of one all tasks descend from its implicit task. */
    if (ancestor != NULL && team->size == 1 && ancestor == &team->members[0]->implicit)
        ancestor = NULL;
    return get(team, (struct wanted){.ancestor = ancestor});
}

/* The entry's deque if it has tasks that come before the entry, else NULL. When the owner has popped below `behind`,
   that sinks to the bottom: tasks pushed later come after the entry. */
static inline struct ghcomp_deque *before_it(struct ghcomp_task_entry *entry)
{
    struct ghcomp_deque *deque = entry->deque;
    uint32_t ticket;
    if (ghcomp_unlikely(deque == NULL) || ghcomp_deque_peek(deque, &ticket) == NULL)
        return NULL;
    uint32_t bottom = ghcomp_load_relaxed(&deque->bottom);
    if ((int32_t)(entry->behind - bottom) > 0)
        entry->behind = bottom;
    return (int32_t)(ticket - entry->behind) < 0 ? deque : NULL;
}

struct ghcomp_task *ghcomp_task_queue_get_first(struct ghcomp_team *team, struct ghcomp_deque **deque, uint32_t *end)
{
    struct ghcomp_task_queue *queue = &team->queue;
    struct ghcomp_task *task = NULL;
    *deque = NULL;
    ghcomp_lock_take(&queue->lock);
    if (ghcomp_task_entries_count(&queue->entries) > 0) {
        struct ghcomp_task_entry *first = ghcomp_task_entries_at(&queue->entries, 0);
        *deque = before_it(first);
        *end = first->behind;
        if (*deque == NULL)
            task = take_out(queue, 0);
    }
    ghcomp_lock_give(&queue->lock);
    return task;
}

struct ghcomp_task *ghcomp_task_queue_release_take(struct ghcomp_team *team)
{
    struct ghcomp_task_queue *queue = &team->queue;
    if (ghcomp_task_entries_count(&queue->entries) == 0)
        return NULL;
    struct ghcomp_task_entry *first = ghcomp_task_entries_at(&queue->entries, 0);
    if (!(first->task->traits & GHCOMP_TASK_IN_ORDER) || before_it(first) != NULL)
        return NULL;
    return take_out(queue, 0);
}

struct ghcomp_task *ghcomp_task_queue_get_pool(struct ghcomp_team *team, struct ghcomp_task *ancestor)
{
    return ghcomp_task_queue_has_pool(team) ? get(team, (struct wanted){.ancestor = ancestor, .pool = true}) : NULL;
}

struct ghcomp_task *ghcomp_task_queue_get_left(struct ghcomp_team *team)
{
    return get(team, (struct wanted){.pool = true});
}

/* Empties the queue, but continues its sequence, which members compare with `searched_at` (task_take.c). */
static void empty(struct ghcomp_task_queue *queue)
{
    *queue = (struct ghcomp_task_queue){.sequence = ghcomp_load_relaxed(&queue->sequence) + 1};
}

void ghcomp_task_queue_free(struct ghcomp_task_queue *queue)
{
    free(queue->entries.ring);
    free(queue->entries.heap);
    empty(queue);
}

void ghcomp_task_queue_fork_child(struct ghcomp_task_queue *queue)
{
    if (ghcomp_load_relaxed(&queue->lock) != 0)
        empty(queue); /* the thread may have freed the entries, so they are left */
}
