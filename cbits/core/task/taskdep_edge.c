/* The owner's side of the edges between nodes (taskdep_node.h): a node waits for another one, and takes its place.
 *
 * The protocol. The executor of the parent is the *owner* of its children's nodes. Other threads access two words of a
 * node as well.
 *
 *   successors  The edges to the nodes that wait for this one. Only the owner pushes (cas_acqrel, 1). The thread that
 *               completes the task closes the list by an exchange (xchg_acqrel, 2) and walks the edges that it got; or
 *               by a cas (cas_acqrel) where it has looked at the list before (close_alone in taskdep_complete.c). So
 *               a push fails only when the node is closed, and then there is nothing to wait for: the load_acquire or
 *               the cas has seen the end of the task. A completer that is the owner itself needs no exchange, because
 *               no other thread pushes.
 *   waits       Predecessors that are not complete. It starts at BIAS; the commit adds the number of edges and takes
 *               the BIAS away (add_acqrel, 3). A completer subtracts one for each edge that it walks (sub_acqrel, 4),
 *               after it has read the edge. The thread that makes it zero releases the task, and has seen the ends of
 *               all its predecessors. A completer that reads 1 (load_acquire, pairs with 3 and 4) is the last and need
 *               not subtract.
 *
 * A node belongs to the owner (its table, node.shares) and to its task until that is complete; the later of the two
 * frees it. When the owner drops its last reference, it sets ORPHAN (in step 1's cas, or by or_acqrel). If the list was
 * closed before, the owner frees the node; else the completer finds ORPHAN in its exchange and frees it. Without ORPHAN
 * the exchange is the completer's last access.
 *
 * The steps of other threads are in taskdep_complete.c. Called by taskdep.c. Covered by test/unit/taskdep.c and
 * test/conformance/depend.
 */
#include "core/task/taskdep_edge.h"

#include "core/task/task.h"
#include "core/tool/tool_filter.h"

#define CLOSED GHCOMP_DEPEND_CLOSED
#define ORPHAN GHCOMP_DEPEND_ORPHAN

void ghcomp_depend_drop(struct ghcomp_depend_node *node)
{
    if (--node->shares > 0)
        return;
    if (ghcomp_depend_closed(node) || ghcomp_or_acqrel(&node->successors, ORPHAN) == CLOSED)
        ghcomp_depend_heap_put(node->home, true, node);
}

struct ghcomp_depend_node *ghcomp_depend_new_node(struct ghcomp_depend_heap *heap, struct ghcomp_task *task)
{
    struct ghcomp_depend_node *node = ghcomp_depend_heap_get(heap);
    ghcomp_store_relaxed(&node->successors, (uintptr_t)0);
    ghcomp_store_relaxed(&node->waits, GHCOMP_DEPEND_BIAS);
    node->edges = 0;
    node->task = task;
    node->home = heap;
    node->more = NULL;
    node->mutexes = NULL;
    node->shares = 0;
    return node;
}

static struct ghcomp_depend_edge *next_edge(struct ghcomp_depend_node *node)
{
    if (node->edges < GHCOMP_DEPEND_EDGES)
        return &node->edge[node->edges];
    uint32_t at = (node->edges - GHCOMP_DEPEND_EDGES) % GHCOMP_DEPEND_MORE_EDGES;
    if (at == 0) {
        struct ghcomp_depend_more *more = ghcomp_depend_heap_get(node->home);
        more->next = node->more;
        node->more = more;
    }
    return &node->more->edge[at];
}

/* Whether the edge is one of the node's: looks in the node itself and in its newest block of edges. */
static bool edge_of(const struct ghcomp_depend_node *node, uintptr_t edge)
{
    return edge - (uintptr_t)node < sizeof *node ||
           (node->more != NULL && edge - (uintptr_t)node->more < sizeof *node->more);
}

/* The tool's record of the node's task. It is that task's if the node is not complete afterwards: a record of a
   dependent task stays (tool_task.c). */
static struct ghcomp_tool_task *record_of(const struct ghcomp_depend_node *node)
{
    return node->task != NULL ? ghcomp_foreign_load_relaxed(&node->task->tool) : NULL;
}

bool ghcomp_depend_push(struct ghcomp_depend_node *node, struct ghcomp_depend_node *before, uintptr_t tag)
{
    uintptr_t head = ghcomp_load_acquire(&before->successors);
    if (head == CLOSED)
        return false;
    /* The node waits already: its task names several addresses that the other one named. */
    if (edge_of(node, head))
        return tag == 0 || ghcomp_or_acqrel(&before->successors, tag) != CLOSED;
    struct ghcomp_tool_task *record = ghcomp_tool_on() && ghcomp_tool_pairs() ? record_of(before) : NULL;
    struct ghcomp_depend_edge *edge = next_edge(node);
    edge->to = node;
    edge->next = (struct ghcomp_depend_edge *)head;
    if (!ghcomp_cas_acqrel(&before->successors, &head, (uintptr_t)edge | tag))
        return false;
    node->edges++;
    if (ghcomp_unlikely(record != NULL) && node->task != NULL)
        ghcomp_tool_task_pair(record, node->task);
    return true;
}

void ghcomp_depend_replace(struct ghcomp_depend_node *node, struct ghcomp_depend_node *before)
{
    if (before->shares > 1) {
        before->shares--;
        ghcomp_depend_push(node, before, 0);
    } else if (!ghcomp_depend_push(node, before, ORPHAN)) {
        ghcomp_depend_heap_put(before->home, true, before);
    }
}
