/* The combining tree of a large team, by which its members are counted. Protocol in combining_tree.c. */
#pragma once

#include "core/state/types.h"

/* Members that share a node, and so a line that they count on and one that they spin on. */
enum { GHCOMP_TREE_FAN_IN = 4 };

struct ghcomp_combining_tree_node {
    _Atomic uint32_t arrived GHCOMP_ALIGNED_PAIR; /* at the barrier: see ghcomp_combining_tree_arrive */
    _Atomic uint32_t finished;         /* at the region's end: see ghcomp_combining_tree_finish */
    uint32_t members;                  /* region: how many count themselves into `arrived` */
    uint32_t workers;                  /* region: ... and into `finished`: the master does not */
    struct ghcomp_combining_tree_node *up; /* region: NULL at the root */
    /* Leaves: the last episode whose end has been passed to the group (barrier_tree.c). */
    _Atomic uint32_t go GHCOMP_ALIGNED_PAIR;
};

struct ghcomp_combining_tree_slot {
    uint32_t episode;                  /* the last one that its member has left; written by that member, between regions
                                          by the master */
} GHCOMP_ALIGNED;

/* All fields: region. */
struct ghcomp_combining_tree {
    uint32_t size;                     /* members */
    uint32_t groups;                   /* leaves: the first nodes */
    uint32_t capacity;                 /* members that there is memory for */
    struct ghcomp_combining_tree_node *nodes;
    struct ghcomp_combining_tree_node *root;
    struct ghcomp_combining_tree_slot *slots; /* [size] */
};

static inline struct ghcomp_combining_tree_node *ghcomp_combining_tree_leaf(struct ghcomp_combining_tree *tree,
                                                                            uint32_t tid)
{
    return &tree->nodes[tid / GHCOMP_TREE_FAN_IN];
}

/* Fits the tree to `size` members (at least 2) that have left `episode`. `tree` is NULL when there is none yet. Master,
   between regions. */
struct ghcomp_combining_tree *ghcomp_combining_tree_fit(struct ghcomp_combining_tree *tree, uint32_t size,
                                                        uint32_t episode);
/* Resets the arrivals after members may have left early. Called by the master, after the join. */
void ghcomp_combining_tree_reset(struct ghcomp_combining_tree *tree, uint32_t episode);
void ghcomp_combining_tree_free(struct ghcomp_combining_tree *tree);

/* Counts the member in at the barrier. True: it is the last one; the root stays full until
   ghcomp_combining_tree_empty. */
static inline bool ghcomp_combining_tree_arrive(struct ghcomp_combining_tree *tree, uint32_t tid)
{
    struct ghcomp_combining_tree_node *node = ghcomp_combining_tree_leaf(tree, tid);
    while (ghcomp_add_acqrel(&node->arrived, 1u) + 1 == node->members) {
        if (node->up == NULL)
            return true;
        ghcomp_store_relaxed(&node->arrived, 0u);
        node = node->up;
    }
    return false;
}

static inline bool ghcomp_combining_tree_full(const struct ghcomp_combining_tree *tree)
{
    return ghcomp_load_acquire(&tree->root->arrived) == tree->root->members;
}

/* Empties the root if it is full. True for only one of several callers. */
static inline bool ghcomp_combining_tree_empty(struct ghcomp_combining_tree *tree)
{
    uint32_t full = tree->root->members;
    return ghcomp_cas_acqrel(&tree->root->arrived, &full, 0u);
}

/* Counts the worker out at the region's end. True: it is the last one, and what the others did before their calls
   happens before its return. False: the tree may be freed at any time from now on. */
static inline bool ghcomp_combining_tree_finish(struct ghcomp_combining_tree *tree, uint32_t tid)
{
    struct ghcomp_combining_tree_node *node = ghcomp_combining_tree_leaf(tree, tid);
    for (; node != NULL; node = node->up) {
        uint32_t last = node->workers - 1; /* read before the addition, after which the tree may go */
        if (ghcomp_add_acqrel(&node->finished, 1u) != last)
            return false;
        ghcomp_store_relaxed(&node->finished, 0u);
    }
    return true;
}
