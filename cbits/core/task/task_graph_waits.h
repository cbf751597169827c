/* The counter of a node in a replay: how many predecessors have not arrived at it yet. Protocol in task_graph_run.c.
 * For that file, and for the exploration of its schedules. Explored (test/explore/task_graph.c). */
#pragma once

#include "core/task/task_graph.h"

/* A predecessor arrives at the node, after its code has run. True: it was the last one, and the calling thread has the
   node. */
static inline bool ghcomp_graph_arrives(struct ghcomp_graph_node *node)
{
    return ghcomp_load_acquire(&node->waits) == 1 || ghcomp_sub_acqrel(&node->waits, 1u) == 1;
}

/* The calling thread has the node, and is about to run it: the counter is as before the replay. */
static inline void ghcomp_graph_rewind(struct ghcomp_graph_node *node)
{
    ghcomp_store_relaxed(&node->waits, node->predecessors);
}

/* Arrives at all successors. Those that are ready now become the first of the list, in the order of the edges; returns
   how many they are. */
static inline uint32_t ghcomp_graph_release(const struct ghcomp_graph_node *node, struct ghcomp_graph_node **list)
{
    uint32_t ready = 0;
    for (uint32_t i = node->count; i-- > 0;) {
        struct ghcomp_graph_node *to = node->successors[i];
        if (!ghcomp_graph_arrives(to))
            continue;
        to->next = *list;
        *list = to;
        ready++;
    }
    return ready;
}
