/* mutexinoutset: the tasks of a set have no order among them, but no two run at the same time.
 *
 * Each such set has a mutex. A task that belongs to several sets takes all their mutexes at once, or none, when its
 * predecessors are complete and before it may start: a task that waits holds nothing. Taking and giving are short
 * critical sections under one lock of the heap that the tasks' nodes are from (all tasks of a set are siblings, so it
 * is the same heap):
 *
 *   1. take: when all mutexes of the node are free, marks them held; else puts the node at the end of the queue of the
 *      first that is held.
 *   2. give: marks the node's mutexes free, and for each of them, while it stays free, repeats the attempt of step 1
 *      for the first node of its queue.
 *
 * No retry is lost: a node is in a queue only while that mutex is held, since both change under the lock, and step 2
 * repeats until the mutex is held again or its queue is empty. There is no deadlock, since no task waits while it holds
 * a mutex: each mutex that is held belongs to a task that may start or runs, and such a task starts on any thread that
 * could start the waiting one, because they have the same parent. A waiting node may move from one queue to another and
 * be overtaken, but only by tasks that then run to their ends, and there are finitely many in a set.
 *
 * A mutex lives until the table has left it and each task of its set has given it. The owner alone adds tasks to the
 * set, so it counts them by itself, on a line that no other thread touches (`joined`), and publishes the number when
 * the table leaves: a new task of the set takes the lock once, in step 1, however many sets it belongs to.
 *
 * Called by taskdep.c. Covered by test/unit/taskdep.c and test/conformance/depend.
 */
#include "core/sync/lock.h"
#include "core/task/taskdep_node.h"

/* Step 1, under the lock. */
static bool attempt(struct ghcomp_depend_node *node)
{
    for (const struct ghcomp_depend_list *list = node->mutexes; list != NULL; list = list->next)
        for (uint32_t i = 0; i < list->count; i++) {
            struct ghcomp_depend_mutex *mutex = list->item[i];
            if (!mutex->held)
                continue;
            node->next = NULL;
            if (mutex->first == NULL)
                mutex->first = node;
            else
                mutex->last->next = node;
            mutex->last = node;
            return false;
        }
    for (const struct ghcomp_depend_list *list = node->mutexes; list != NULL; list = list->next)
        for (uint32_t i = 0; i < list->count; i++)
            ((struct ghcomp_depend_mutex *)list->item[i])->held = true;
    return true;
}

bool ghcomp_depend_mutex_take(struct ghcomp_depend_node *node)
{
    struct ghcomp_depend_heap *heap = node->home;
    ghcomp_lock_take(&heap->mutex_lock);
    bool taken = attempt(node);
    ghcomp_lock_give(&heap->mutex_lock);
    return taken;
}

struct ghcomp_depend_node *ghcomp_depend_mutex_give(struct ghcomp_depend_node *node, bool mine)
{
    struct ghcomp_depend_heap *heap = node->home;
    struct ghcomp_depend_node *let_go = NULL, **end = &let_go;
    ghcomp_lock_take(&heap->mutex_lock);
    for (struct ghcomp_depend_list *list = node->mutexes; list != NULL; list = list->next)
        for (uint32_t i = 0; i < list->count; i++)
            ((struct ghcomp_depend_mutex *)list->item[i])->held = false;
    for (struct ghcomp_depend_list *list = node->mutexes; list != NULL; list = list->next)
        for (uint32_t i = 0; i < list->count; i++) {
            struct ghcomp_depend_mutex *mutex = list->item[i];
            while (!mutex->held && mutex->first != NULL) {
                struct ghcomp_depend_node *waiter = mutex->first;
                mutex->first = waiter->next;
                if (attempt(waiter)) {
                    *end = waiter;
                    end = &waiter->next;
                }
            }
            mutex->given++;
            if (mutex->left && mutex->given == mutex->expected)
                ghcomp_depend_heap_put(heap, mine, mutex);
        }
    ghcomp_lock_give(&heap->mutex_lock);
    *end = NULL;
    ghcomp_depend_heap_put_chain(heap, mine, node->mutexes);
    node->mutexes = NULL;
    return let_go;
}

struct ghcomp_depend_mutex *ghcomp_depend_mutex_new(struct ghcomp_depend_heap *heap)
{
    struct ghcomp_depend_mutex *mutex = ghcomp_depend_heap_get(heap);
    *mutex = (struct ghcomp_depend_mutex){.joined = 0};
    return mutex;
}

void ghcomp_depend_mutex_leave(struct ghcomp_depend_heap *heap, struct ghcomp_depend_mutex *mutex)
{
    ghcomp_lock_take(&heap->mutex_lock);
    mutex->left = true;
    mutex->expected = mutex->joined;
    bool last = mutex->given == mutex->expected;
    ghcomp_lock_give(&heap->mutex_lock);
    if (last)
        ghcomp_depend_heap_put(heap, true, mutex);
}

void ghcomp_depend_mutex_join(struct ghcomp_depend_node *node, struct ghcomp_depend_mutex *mutex)
{
    ghcomp_depend_list_push(node->home, &node->mutexes, mutex);
    mutex->joined++;
}
