/* The team's queue of ready tasks: those with a priority, those that found no place in a full deque, and those made
 * ready by a thread outside the team, those that free agents make or may run (task_threadset.c), and those that a
 * thread in a transparent task has moved here (task_take.c). A binary heap under a lock, ordered by priority and then
 * by age.
 *
 * It is off the common path: members read `count` without the lock to see that it is empty.
 *
 * Called by task.c and task_take.c. Covered by test/unit/task.c and test/conformance/task/priority.c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "core/sync/lock.h"
#include "core/task/task.h"
#include "core/task/taskdep.h"
#include "core/tsan/races.h"

struct ghcomp_task_entry {
    struct ghcomp_task *task;
    int32_t priority;
    uint32_t age;
    bool pool;                     /* free agents may run it */
};

static bool before(const struct ghcomp_task_entry *a, const struct ghcomp_task_entry *b)
{
    return a->priority != b->priority ? a->priority > b->priority : (int32_t)(a->age - b->age) < 0;
}

static void sift_up(struct ghcomp_task_entry *entries, uint32_t at)
{
    struct ghcomp_task_entry entry = entries[at];
    while (at > 0 && before(&entry, &entries[(at - 1) / 2])) {
        entries[at] = entries[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    entries[at] = entry;
}

static void sift_down(struct ghcomp_task_entry *entries, uint32_t count, uint32_t at)
{
    struct ghcomp_task_entry entry = entries[at];
    uint32_t child;
    while ((child = 2 * at + 1) < count) {
        if (child + 1 < count && before(&entries[child + 1], &entries[child]))
            child++;
        if (!before(&entries[child], &entry))
            break;
        entries[at] = entries[child];
        at = child;
    }
    entries[at] = entry;
}

/* Enlarges a full queue. The lock orders the callers, and ThreadSanitizer does not know the lock. */
static __attribute__((noinline)) void grow(struct ghcomp_task_queue *queue, uint32_t count)
{
    uint32_t capacity = count == 0 ? 64 : 2 * count, observers = ghcomp_observers_now();
    ghcomp_races_hide(observers);
    struct ghcomp_task_entry *entries = ghcomp_alloc(capacity * sizeof *entries);
    if (count > 0)
        memcpy(entries, queue->entries, count * sizeof *entries);
    free(queue->entries);
    ghcomp_races_show(observers);
    queue->entries = entries;
    queue->capacity = capacity;
}

void ghcomp_task_queue_put(struct ghcomp_team *team, struct ghcomp_task *task)
{
    struct ghcomp_task_queue *queue = &team->queue;
    ghcomp_lock_take(&queue->lock);
    uint32_t count = ghcomp_load_relaxed(&queue->count);
    if (count == queue->capacity)
        grow(queue, count);
    queue->entries[count] = (struct ghcomp_task_entry){
        task, task->priority, queue->sequence++,
        (task->traits & GHCOMP_TASK_ASIDE) && task->mark == GHCOMP_THREADSET_POOL};
    if (ghcomp_unlikely(queue->entries[count].pool))
        ghcomp_store_relaxed(&queue->pool, ghcomp_load_relaxed(&queue->pool) + 1);
    sift_up(queue->entries, count);
    ghcomp_store_relaxed(&queue->count, count + 1);
    ghcomp_lock_give(&queue->lock);
}

/* The index of the best entry that may be taken, or `count` when there is none. */
static uint32_t find(const struct ghcomp_task_queue *queue, uint32_t count, struct ghcomp_task *ancestor, bool pool)
{
    if (ancestor == NULL && (!pool || count == 0 || queue->entries[0].pool))
        return 0;
    uint32_t best = count;
    for (uint32_t i = 0; i < count; i++)
        if ((!pool || queue->entries[i].pool) &&
            (ancestor == NULL || ghcomp_task_descends(queue->entries[i].task, ancestor)) &&
            (best == count || before(&queue->entries[i], &queue->entries[best])))
            best = i;
    return best;
}

/* Takes an entry out, under the lock; NULL if `at` is the count. */
static inline struct ghcomp_task *take_out(struct ghcomp_task_queue *queue, uint32_t count, uint32_t at)
{
    if (at == count)
        return NULL;
    struct ghcomp_task *task = queue->entries[at].task;
    if (ghcomp_unlikely(queue->entries[at].pool))
        ghcomp_store_relaxed(&queue->pool, ghcomp_load_relaxed(&queue->pool) - 1);
    queue->entries[at] = queue->entries[--count];
    ghcomp_store_relaxed(&queue->count, count);
    if (at < count) {
        sift_down(queue->entries, count, at);
        sift_up(queue->entries, at);
    }
    return task;
}

static inline struct ghcomp_task *get(struct ghcomp_team *team, struct ghcomp_task *ancestor, bool pool)
{
    struct ghcomp_task_queue *queue = &team->queue;
    ghcomp_lock_take(&queue->lock);
    uint32_t count = ghcomp_load_relaxed(&queue->count);
    struct ghcomp_task *task = take_out(queue, count, count == 0 ? 0 : find(queue, count, ancestor, pool));
    ghcomp_lock_give(&queue->lock);
    return task;
}

struct ghcomp_task *ghcomp_task_queue_get_before(struct ghcomp_team *team, const struct ghcomp_task *task, bool pool)
{
    struct ghcomp_task_queue *queue = &team->queue;
    ghcomp_lock_take(&queue->lock);
    uint32_t count = ghcomp_load_relaxed(&queue->count), best = count;
    for (uint32_t i = 0; i < count; i++)
        if ((!pool || queue->entries[i].pool) && ghcomp_depend_before(queue->entries[i].task, task) &&
            (best == count || before(&queue->entries[i], &queue->entries[best])))
            best = i;
    struct ghcomp_task *found = take_out(queue, count, best);
    ghcomp_lock_give(&queue->lock);
    return found;
}

struct ghcomp_task *ghcomp_task_queue_get(struct ghcomp_team *team, struct ghcomp_task *ancestor)
{
    /* In a team of one all tasks descend from its implicit task. */
    if (ancestor != NULL && team->size == 1 && ancestor == &team->members[0]->implicit)
        ancestor = NULL;
    return get(team, ancestor, false);
}

struct ghcomp_task *ghcomp_task_queue_get_pool(struct ghcomp_team *team, struct ghcomp_task *ancestor)
{
    return ghcomp_task_queue_has_pool(team) ? get(team, ancestor, true) : NULL;
}

struct ghcomp_task *ghcomp_task_queue_get_left(struct ghcomp_team *team)
{
    return get(team, NULL, true);
}

void ghcomp_task_queue_free(struct ghcomp_task_queue *queue)
{
    free(queue->entries);
    *queue = (struct ghcomp_task_queue){0};
}
