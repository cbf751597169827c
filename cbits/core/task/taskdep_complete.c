/* The steps of taskdep_edge.c's protocol that are not the owner's alone: the commit, and what a complete task releases.
 *
 * libgomp's order. libgomp has one queue for a team's ready tasks: what became ready first starts first. The oldest
 * entry of a maker's deque is the same there (task_take.c), but for the tasks that another thread releases, and that
 * thread cannot put them into the maker's deque. In its own deque they would start after tasks that were made later and
 * found their predecessor complete. So in gcc's code (GHCOMP_TASK_IN_ORDER) they go to the team's queue:
 *
 *   - The completer has the queue's lock from before it closes the node (step 2) until all successors that are ready
 *     are in the queue: two completers do not mix theirs, and a task with several predecessors has its place.
 *   - RELEASING in queue.count comes before the close (store_relaxed, and the xchg_acqrel of step 2). So a thread that
 *     finds a task in the maker's deque whose maker saw the node closed (load_acquire of the node, store_release of the
 *     deque's bottom, load_seqcst by the thread) finds the queue in use as well, and looks there first.
 *   - A released task is *behind* the tasks that its maker's deque had at the close, or at the task's own commit,
 *     whichever is later. The commit counts because the maker may push tasks between the completer's load of the
 *     deque's bottom and the close.
 *   - If the only successor would be taken next in any case, since neither the queue nor the maker's deque has a task,
 *     the completer runs it at once, if it is in a barrier (close_alone): a chain costs no lock and stays on its CPU.
 *
 * A completer that is the maker itself puts the tasks that it alone releases into its own deque, as long as there is
 * room. From the first task on that has other unfinished predecessors, it uses the queue as other threads do (but after
 * the close, since it makes no tasks meanwhile).
 *
 * The successors of a join take the join's place among the task's successors.
 *
 * Called by task.c (ghcomp_task_submit), task_run.c. Covered by test/unit/taskdep.c, test/conformance/depend and
 * test/conformance/order/released.c. Explored (test/explore/release.c): the order in which three threads meet what two
 * predecessors release, within its bounds.
 */
#include "core/sync/eventcount.h"
#include "core/sync/task_team.h"
#include "core/task/deque.h"
#include "core/task/task.h"
#include "core/task/taskdep.h"
#include "core/task/taskdep_domain.h"
#include "core/task/taskdep_node.h"

#define CLOSED GHCOMP_DEPEND_CLOSED
#define ORPHAN GHCOMP_DEPEND_ORPHAN

/* The node's predecessors are complete: whether it has its mutexes, too. */
static bool has_mutexes(struct ghcomp_depend_node *node)
{
    return ghcomp_likely(node->mutexes == NULL) || ghcomp_depend_placed(node) || ghcomp_depend_mutex_take(node);
}

static uint32_t bottom_of(struct ghcomp_member *maker)
{
    struct ghcomp_deque *deque = ghcomp_load_acquire(&maker->deque);
    return deque != NULL ? ghcomp_load_relaxed(&deque->bottom) : 0;
}

static bool is_ordered(const struct ghcomp_task *task)
{
    return (task->traits & (GHCOMP_TASK_IN_ORDER | GHCOMP_TASK_THREADSET)) == GHCOMP_TASK_IN_ORDER;
}

bool ghcomp_depend_commit(struct ghcomp_member *self, struct ghcomp_task *task)
{
    struct ghcomp_depend_node *node = task->node;
    if (node == NULL)
        return true;
    if (node->edges > 0 && is_ordered(task))
        task->mark = bottom_of(self);
    return ghcomp_depend_node_commit(node) && has_mutexes(node);
}

/* Step 2. Returns the edges to the nodes that wait; afterwards the node is the table's or gone. */
static inline __attribute__((always_inline)) struct ghcomp_depend_edge *
close_node(struct ghcomp_depend_node *node, bool mine)
{
    struct ghcomp_depend_heap *heap = node->home;
    ghcomp_depend_heap_put_chain(heap, mine, node->more);
    uintptr_t word;
    if (mine) {
        word = ghcomp_load_relaxed(&node->successors);
        ghcomp_store_relaxed(&node->successors, CLOSED);
    } else {
        word = ghcomp_xchg_acqrel(&node->successors, CLOSED);
    }
    if (word & ORPHAN)
        ghcomp_depend_heap_put(heap, mine, node);
    return (struct ghcomp_depend_edge *)(word & ~ORPHAN);
}

/* Step 4: a predecessor is complete. Whether it was the node's last. */
static bool arrived(struct ghcomp_depend_node *node)
{
    return ghcomp_load_acquire(&node->waits) == 1 || ghcomp_sub_acqrel(&node->waits, 1u) == 1;
}

/* Step 2 for a node with mutexes, or with a place in a domain. *let_go gets the nodes that the mutexes' release lets
   start. */
static __attribute__((noinline)) struct ghcomp_depend_edge *close_special(struct ghcomp_depend_node *node, bool mine,
                                                                          struct ghcomp_depend_node **let_go)
{
    if (!ghcomp_depend_placed(node)) {
        *let_go = ghcomp_depend_mutex_give(node, mine);
        return close_node(node, mine);
    }
    struct ghcomp_depend_heap *home = node->home;
    ghcomp_depend_domain_leave(node);
    struct ghcomp_depend_edge *edges = close_node(node, false);
    ghcomp_depend_domain_close(home);
    return edges;
}

/* The same for a join whose predecessors are complete. */
static struct ghcomp_depend_edge *close_join(struct ghcomp_depend_node *join, const struct ghcomp_member *self)
{
    bool mine = self != NULL && self->thread->memory.dependences == join->home;
    struct ghcomp_depend_node *none = NULL;
    return join->mutexes != NULL ? close_special(join, mine, &none) : close_node(join, mine);
}

/* What one completion releases. */
struct release {
    struct ghcomp_member *self;        /* as in ghcomp_task_ready */
    struct ghcomp_team *team;
    struct ghcomp_member *maker;       /* of the task's siblings, where they are in libgomp's order */
    uint32_t bottom;                   /* of the maker's deque, when the release began */
    bool ordered;                      /* the rest is in libgomp's order: this has the queue's lock */
    struct ghcomp_depend_node *later, **later_end; /* nodes that get ready when the lock has been given */
};

static void order(struct release *release)
{
    ghcomp_task_queue_release_begin(release->team);
    release->bottom = bottom_of(release->maker);
    release->ordered = true;
}

static bool may_queue(const struct ghcomp_task *task)
{
    return is_ordered(task) && !(task->traits & GHCOMP_TASK_AWAITED);
}

static bool has_none(struct ghcomp_member *maker)
{
    struct ghcomp_deque *deque = ghcomp_load_acquire(&maker->deque);
    return deque == NULL || ghcomp_deque_seems_empty(deque);
}

/* Whether the completer may run the edge's node next: it is ready by this one's end, and nothing has been before. */
static bool is_next(const struct release *release, const struct ghcomp_depend_edge *edge)
{
    struct ghcomp_depend_node *to = edge->to;
    return edge->next == NULL && ghcomp_load_acquire(&to->waits) == 1 && !ghcomp_task_queue_used(release->team) &&
           to->task != NULL && to->mutexes == NULL && may_queue(to->task) && has_none(release->maker);
}

/* Step 2 by a cas, for a node that has no successor, or, where `kept` is no NULL, one for the completer to run next.
   Else false. */
static inline bool close_alone(const struct release *release, struct ghcomp_depend_node *node,
                               struct ghcomp_task **kept)
{
    uintptr_t word = ghcomp_load_acquire(&node->successors);
    struct ghcomp_depend_edge *edge = (struct ghcomp_depend_edge *)(word & ~ORPHAN);
    if (edge != NULL && (kept == NULL || !is_next(release, edge)))
        return false;
    struct ghcomp_task *next = edge != NULL ? edge->to->task : NULL;
    struct ghcomp_depend_heap *home = node->home;
    struct ghcomp_depend_more *more = node->more; /* afterwards the node may be gone */
    if (!ghcomp_cas_acqrel(&node->successors, &word, CLOSED))
        return false;
    if (next != NULL)
        *kept = next;
    ghcomp_depend_heap_put_chain(home, false, more);
    if (word & ORPHAN)
        ghcomp_depend_heap_put(home, false, node);
    return true;
}

/* A task of a domain goes to the team's queue: the completer may wait in a transparent task that comes before it.
   (Those that other threads than the team's run have a way of their own.) */
static void make_ready(struct release *release, const struct ghcomp_depend_node *node)
{
    struct ghcomp_task *task = node->task;
    bool queued = ghcomp_depend_placed(node) && !(task->traits & GHCOMP_TASK_THREADSET);
    ghcomp_task_ready(queued ? NULL : release->self, release->team, task);
}

/* The task of a node that has all it waits for. */
static void ready(struct release *release, struct ghcomp_depend_node *node)
{
    struct ghcomp_task *task = node->task;
    if (!release->ordered) {
        make_ready(release, node);
    } else if (!may_queue(task)) {
        node->next = NULL;
        *release->later_end = node;
        release->later_end = &node->next;
    } else {
        /* The task has not started, so its parent is still its maker; in a domain this may be another task than the
           completed one's parent. */
        struct ghcomp_member *maker = ghcomp_load_relaxed(&task->parent)->executor;
        bool later = maker == release->maker && (int32_t)(release->bottom - task->mark) > 0;
        /* Acquire: if the deque has a task that comes before, this thread has seen its maker's push, and so the deque.
           A task with a priority comes before all tasks in deques. */
        struct ghcomp_deque *deque = task->priority == 0 ? ghcomp_load_acquire(&maker->deque) : NULL;
        ghcomp_task_queue_release(release->team, task, deque, later ? release->bottom : task->mark);
    }
}

/* Returns the first task of all if the completer may run it next. */
static struct ghcomp_task *end(struct release *release, bool keep)
{
    struct ghcomp_task *kept = keep ? ghcomp_task_queue_release_take(release->team) : NULL;
    bool more = ghcomp_task_queue_release_end(release->team);
    if (more && release->self == NULL)
        ghcomp_eventcount_notify(release->team);
    else if (more)
        ghcomp_task_team_wake(release->team);
    while (release->later != NULL) {
        struct ghcomp_depend_node *node = release->later;
        release->later = node->next;
        make_ready(release, node);
    }
    return kept;
}

/* The member that made the node. The task's parent may be another one by now: a task whose parent had ended has moved
   up. */
static struct ghcomp_member *maker_of(const struct ghcomp_team *team, const struct ghcomp_depend_node *node,
                                      const struct ghcomp_task *task)
{
    struct ghcomp_member *maker = ghcomp_load_relaxed(&task->parent)->executor;
    for (uint32_t i = 0; i < team->size && maker->thread != node->home->owner; i++)
        maker = team->members[i];
    return maker;
}

static bool mine_is_full(struct ghcomp_member *self)
{
    const struct ghcomp_deque *deque = ghcomp_load_relaxed(&self->deque);
    return deque != NULL && ghcomp_unlikely(ghcomp_deque_is_full(deque));
}

struct ghcomp_task *ghcomp_depend_complete(struct ghcomp_member *self, struct ghcomp_team *team,
                                           struct ghcomp_task *task, bool keep)
{
    struct ghcomp_depend_node *node = task->node, *let_go = NULL;
    if (node == NULL)
        return NULL;
    task->node = NULL;
    struct ghcomp_task *kept = NULL;
    struct release release = {.self = self, .team = team, .later_end = &release.later};
    bool mine = self != NULL && self->thread->memory.dependences == node->home;
    bool in_order = (task->traits & GHCOMP_TASK_IN_ORDER) && team->size > 1 && node->mutexes == NULL;
    if (in_order)
        release.maker = mine ? self : maker_of(team, node, task);
    if (in_order && !mine) {
        if (close_alone(&release, node, keep ? &kept : NULL))
            return kept;
        order(&release);
    }
    struct ghcomp_depend_edge *edge = ghcomp_unlikely(node->mutexes != NULL) ? close_special(node, mine, &let_go)
                                                                             : close_node(node, mine);
    edge = ghcomp_depend_in_order(edge, NULL);
    while (edge != NULL) {
        struct ghcomp_depend_node *to = edge->to;
        edge = edge->next;
        if (in_order && !release.ordered && (ghcomp_load_acquire(&to->waits) != 1 || mine_is_full(self)))
            order(&release);
        if (!arrived(to))
            continue;
        if (to->task == NULL)
            edge = ghcomp_depend_in_order(close_join(to, self), edge);
        else if (has_mutexes(to))
            ready(&release, to);
    }
    if (release.ordered)
        kept = end(&release, keep);
    while (let_go != NULL) {
        struct ghcomp_task *task_of = let_go->task;
        let_go = let_go->next;
        ghcomp_task_ready(self, team, task_of);
    }
    return kept;
}
