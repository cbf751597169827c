/* A combining tree (Yew, Tzeng, Lawrie, "Distributing Hot-Spot Addressing in Large-Scale Multiprocessors", 1987):
 * members count themselves in at a leaf that few of them share, and the member that completes a node continues to the
 * node above. So few threads write each line, and the longest path has O(log n) lines. No member waits on the way up: a
 * member that is not the last at a node stops there, and so does not depend on when the others run.
 *
 * The member that completes a node sets its count back to 0 before it goes up. The next count into the node comes after
 * the barrier or the region that this one completes, and so after that store. The root's `arrived` is left full for the
 * member that is to release the barrier (ghcomp_combining_tree_empty).
 *
 * Order: the additions are acq_rel. So what a member did before its addition is visible to the member that completes
 * the node and, by that member's addition above, to the member that completes the root.
 *
 * Called by barrier_tree.c, team.c. Covered by test/unit/{combining_tree,barrier_policy,team_tree}.c.
 */
#include "core/sync/combining_tree.h"

#include <stdlib.h>

#include "base/check.h"

static uint32_t parents(uint32_t count)
{
    return (count + GHCOMP_TREE_FAN_IN - 1) / GHCOMP_TREE_FAN_IN;
}

static uint32_t nodes_of(uint32_t size)
{
    uint32_t count = 0;
    do
        count += size = parents(size);
    while (size > 1);
    return count;
}

static void reserve(struct ghcomp_combining_tree *tree, uint32_t size)
{
    if (size <= tree->capacity)
        return;
    uint32_t capacity = 2 * tree->capacity > size ? 2 * tree->capacity : size;
    free(tree->nodes);
    free(tree->slots);
    tree->nodes = ghcomp_alloc_lines(nodes_of(capacity) * sizeof *tree->nodes);
    tree->slots = ghcomp_alloc_lines(capacity * sizeof *tree->slots);
    tree->capacity = capacity;
}

static uint32_t children(uint32_t width, uint32_t parent)
{
    uint32_t left = width - parent * GHCOMP_TREE_FAN_IN;
    return left < GHCOMP_TREE_FAN_IN ? left : GHCOMP_TREE_FAN_IN;
}

struct ghcomp_combining_tree *ghcomp_combining_tree_fit(struct ghcomp_combining_tree *tree, uint32_t size,
                                                        uint32_t episode)
{
    ghcomp_invariant(size > 1);
    if (tree == NULL)
        tree = ghcomp_alloc_zeroed(sizeof *tree);
    reserve(tree, size);
    tree->size = size;
    tree->groups = parents(size);
    struct ghcomp_combining_tree_node *level = tree->nodes;
    for (uint32_t width = size; width > 1; width = parents(width)) {
        uint32_t count = parents(width);
        for (uint32_t i = 0; i < count; i++) {
            level[i].members = level[i].workers = children(width, i);
            level[i].up = count > 1 ? &level[count + i / GHCOMP_TREE_FAN_IN] : NULL;
        }
        level += count;
    }
    tree->nodes[0].workers--; /* the first member of all is the master */
    tree->root = level - 1;
    ghcomp_combining_tree_reset(tree, episode);
    return tree;
}

void ghcomp_combining_tree_reset(struct ghcomp_combining_tree *tree, uint32_t episode)
{
    for (struct ghcomp_combining_tree_node *node = tree->nodes; node <= tree->root; node++) {
        ghcomp_store_relaxed(&node->arrived, 0u);
        ghcomp_store_relaxed(&node->finished, 0u);
        ghcomp_store_relaxed(&node->go, episode);
    }
    for (uint32_t tid = 0; tid < tree->size; tid++)
        tree->slots[tid].episode = episode;
}

void ghcomp_combining_tree_free(struct ghcomp_combining_tree *tree)
{
    if (tree == NULL)
        return;
    free(tree->nodes);
    free(tree->slots);
    free(tree);
}
