/* The owner's side of the edges between nodes (taskdep_node.h): a node waits for another one, and takes its place.
 * Protocol in taskdep_edge.c; the steps of other threads are in taskdep_complete.c. Owner only. */
#pragma once

#include "core/task/taskdep_node.h"

/* Acquire: what the task did is visible to the tasks that wait for it. */
static inline bool ghcomp_depend_closed(struct ghcomp_depend_node *node)
{
    return ghcomp_load_acquire(&node->successors) == GHCOMP_DEPEND_CLOSED;
}

/* Drops a reference of the table to the node. */
void ghcomp_depend_drop(struct ghcomp_depend_node *node);

/* A node of the task's, or a join for NULL, that waits for none yet. */
struct ghcomp_depend_node *ghcomp_depend_new_node(struct ghcomp_depend_heap *heap, struct ghcomp_task *task);

/* The node waits for the other one, which becomes an orphan when the tag says so. False: that one is complete. */
bool ghcomp_depend_push(struct ghcomp_depend_node *node, struct ghcomp_depend_node *before, uintptr_t tag);

/* The node waits for the other one and takes its place in the table. */
void ghcomp_depend_replace(struct ghcomp_depend_node *node, struct ghcomp_depend_node *before);

/* The node waits for the other one, unless that is complete: then the reference is dropped. */
static inline void ghcomp_depend_follow(struct ghcomp_depend_node *node, struct ghcomp_depend_node **reference)
{
    if (*reference != NULL && !ghcomp_depend_push(node, *reference, 0)) {
        ghcomp_depend_drop(*reference);
        *reference = NULL;
    }
}
