/* Reductions by a tree: the members of a team combine their values pairwise. Protocol in reduction_tree.c. */
#pragma once

#include "core/state/types.h"

/* Combines `other`'s values into `into`'s. */
typedef void ghcomp_reduction_fn(void *into, void *other);

/* Every member of a team of more than one calls it, with its own values. True for member 0, when `values` holds what
   all members had: the values of member i stand before those of member k in the result where i < k, and the grouping
   depends on the team's size alone. False for the others, whose values are not read any more. It is no barrier: member
   0 continues when all have called it, each other member when its values have been read. What a member did before
   happens before what member 0 does afterwards. Ready tasks may run on the caller's thread. In a region that is
   cancelled values of some members may be missing. */
bool ghcomp_reduction_tree(struct ghcomp_member *self, void *values, ghcomp_reduction_fn *combine);
/* Wakes the members that sleep in a reduction. Called by the maker of the region's first task, after team.tasked. */
void ghcomp_reduction_tree_rouse(struct ghcomp_team *team);
