/* The team's queue of ready tasks: those with a priority, those that found no place in a full deque, and those made
 * ready by a thread outside the team or, in libgomp's order, by another one than their maker (taskdep_complete.c),
 * those that free agents make or may run (task_threadset.c), and those that a thread in a transparent task has moved
 * here (task_take.c). A binary heap under a lock, ordered by priority and then by age.
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
#include <string.h>

#include "base/check.h"
#include "core/sync/lock.h"
#include "core/task/deque.h"
#include "core/task/task.h"
#include "core/task/taskdep.h"
#include "core/tsan/races.h"

struct ghcomp_task_entry {
    struct ghcomp_task *task;
    int32_t priority;
    uint32_t age;
    struct ghcomp_deque *deque;    /* what lies there below `behind` was ready before it; NULL: nothing was */
    uint32_t behind;
    bool pool;                     /* free agents may run it */
    bool deep;                     /* its parent is no implicit task */
};

/* To a count that threads without the lock read. */
static inline void change(_Atomic uint32_t *word, bool counts, uint32_t by)
{
    if (ghcomp_unlikely(counts))
        ghcomp_store_relaxed(word, ghcomp_load_relaxed(word) + by);
}

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

static inline void add(struct ghcomp_task_queue *queue, uint32_t count, const struct ghcomp_task_entry *entry)
{
    if (count == queue->capacity)
        grow(queue, count);
    queue->entries[count] = *entry;
    queue->entries[count].priority = entry->task->priority;
    uint32_t sequence = ghcomp_load_relaxed(&queue->sequence);
    queue->entries[count].age = sequence;
    ghcomp_store_relaxed(&queue->sequence, sequence + 1);
    queue->entries[count].deep = ghcomp_load_relaxed(&entry->task->depth) > 1;
    change(&queue->pool, entry->pool, 1);
    change(&queue->deep, queue->entries[count].deep, 1);
    sift_up(queue->entries, count);
}

void ghcomp_task_queue_put(struct ghcomp_team *team, struct ghcomp_task *task)
{
    struct ghcomp_task_queue *queue = &team->queue;
    bool pool = (task->traits & GHCOMP_TASK_ASIDE) && task->mark == GHCOMP_THREADSET_POOL;
    ghcomp_lock_take(&queue->lock);
    uint32_t count = ghcomp_load_relaxed(&queue->count);
    add(queue, count, &(struct ghcomp_task_entry){.task = task, .pool = pool});
    ghcomp_store_relaxed(&queue->count, count + 1);
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
    uint32_t count = ghcomp_task_queue_length(team);
    add(&team->queue, count, &(struct ghcomp_task_entry){.task = task, .deque = deque, .behind = behind});
    ghcomp_store_relaxed(&team->queue.count, (count + 1) | GHCOMP_QUEUE_RELEASING);
}

bool ghcomp_task_queue_release_end(struct ghcomp_team *team)
{
    uint32_t count = ghcomp_task_queue_length(team);
    ghcomp_store_relaxed(&team->queue.count, count);
    ghcomp_lock_give(&team->queue.lock);
    return count > 0;
}

/* The index of the best entry that may be taken, or `count` when there is none. */
static uint32_t find(const struct ghcomp_task_queue *queue, uint32_t count, struct ghcomp_task *ancestor, bool pool)
{
    if (count == 0 || ((!pool || queue->entries[0].pool) &&
                       (ancestor == NULL || ghcomp_task_descends(queue->entries[0].task, ancestor))))
        return 0; /* no other one is before it */
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
    change(&queue->pool, queue->entries[at].pool, UINT32_MAX);
    change(&queue->deep, queue->entries[at].deep, UINT32_MAX);
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
    struct ghcomp_task *task = take_out(queue, count, find(queue, count, ancestor, pool));
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

/* The deque that has tasks which come before the entry, or NULL. Once the owner has taken back what lay below `behind`,
   what it puts there later does not count. */
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
    ghcomp_lock_take(&queue->lock);
    uint32_t count = ghcomp_load_relaxed(&queue->count);
    *deque = count > 0 ? before_it(queue->entries) : NULL;
    struct ghcomp_task *task = NULL;
    if (*deque != NULL)
        *end = queue->entries[0].behind;
    else
        task = take_out(queue, count, 0);
    ghcomp_lock_give(&queue->lock);
    return task;
}

struct ghcomp_task *ghcomp_task_queue_release_take(struct ghcomp_team *team)
{
    struct ghcomp_task_queue *queue = &team->queue;
    uint32_t count = ghcomp_task_queue_length(team);
    if (count == 0 || !(queue->entries[0].task->traits & GHCOMP_TASK_IN_ORDER) || before_it(queue->entries) != NULL)
        return NULL;
    return take_out(queue, count, 0);
}

struct ghcomp_task *ghcomp_task_queue_get_pool(struct ghcomp_team *team, struct ghcomp_task *ancestor)
{
    return ghcomp_task_queue_has_pool(team) ? get(team, ancestor, true) : NULL;
}

struct ghcomp_task *ghcomp_task_queue_get_left(struct ghcomp_team *team)
{
    return get(team, NULL, true);
}

/* Members remember its sequence (task_take.c), which goes on. */
static void empty(struct ghcomp_task_queue *queue)
{
    *queue = (struct ghcomp_task_queue){.sequence = ghcomp_load_relaxed(&queue->sequence) + 1};
}

void ghcomp_task_queue_free(struct ghcomp_task_queue *queue)
{
    free(queue->entries);
    empty(queue);
}

void ghcomp_task_queue_fork_child(struct ghcomp_task_queue *queue)
{
    if (ghcomp_load_relaxed(&queue->lock) != 0)
        empty(queue); /* the thread may have freed the entries, so they are left */
}
