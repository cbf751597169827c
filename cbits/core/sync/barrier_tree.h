/* The barrier inside a region of a large team. Protocol in barrier_tree.c; called by barrier.c, where team.by_tree. */
#pragma once

#include "core/sync/barrier_wait.h"

/* The parts of ghcomp_barrier_wait* and ghcomp_barrier_arrive (barrier.h) for a large team. */
enum ghcomp_barrier_outcome ghcomp_barrier_tree_wait(struct ghcomp_member *self, bool cancellable,
                                                     struct ghcomp_wait_pause *pause);
bool ghcomp_barrier_tree_arrive(struct ghcomp_member *self, struct ghcomp_wait_pause *pause, uint32_t polls);

/* Fits the team's tree to its size. Master, between regions. */
void ghcomp_barrier_tree_fit(struct ghcomp_team *team);
/* The part of ghcomp_barrier_reset for a large team. */
void ghcomp_barrier_tree_reset(struct ghcomp_team *team);
