/* The steps of taskdep_edge.c's protocol that are not the owner's alone: the commit, and what a complete task releases.
 *
 * Called by task.c (ghcomp_task_submit), task_run.c. Covered by test/unit/taskdep.c and test/conformance/depend.
 */
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

bool ghcomp_depend_commit(struct ghcomp_member *self, struct ghcomp_task *task)
{
    (void)self;
    struct ghcomp_depend_node *node = task->node;
    return node == NULL || (ghcomp_depend_node_commit(node) && has_mutexes(node));
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

/* Step 2 for a node that has mutexes, which *let_go gets the nodes of, or a place in a domain. */
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

void ghcomp_depend_complete(struct ghcomp_member *self, struct ghcomp_team *team, struct ghcomp_task *task)
{
    struct ghcomp_depend_node *node = task->node;
    if (node == NULL)
        return;
    task->node = NULL;
    struct ghcomp_depend_node *let_go = NULL, *joins = NULL;
    for (; node != NULL; node = joins, joins = node == NULL ? NULL : node->next) {
        bool mine = self != NULL && self->thread->memory.dependences == node->home;
        struct ghcomp_depend_edge *edge = ghcomp_unlikely(node->mutexes != NULL) ? close_special(node, mine, &let_go)
                                                                                 : close_node(node, mine);
        edge = ghcomp_depend_in_order(edge);
        while (edge != NULL) {
            struct ghcomp_depend_node *to = edge->to;
            edge = edge->next;
            if (!arrived(to))
                continue;
            if (to->task == NULL) {
                to->next = joins;
                joins = to;
            } else if (has_mutexes(to)) {
                ghcomp_task_ready(self, team, to->task);
            }
        }
    }
    while (let_go != NULL) {
        struct ghcomp_task *ready = let_go->task;
        let_go = let_go->next;
        ghcomp_task_ready(self, team, ready);
    }
}
