/* The barrier inside a region of a large team. Protocol in barrier_tree.c; called by barrier.c, where team.by_tree. */
#pragma once

#include "core/sync/barrier_wait.h"

/* As barrier.c's: a whole wait, and the beginning of one. */
enum ghcomp_barrier_outcome ghcomp_barrier_tree_wait(struct ghcomp_member *self, bool cancellable,
                                                     struct ghcomp_wait_pause *pause);
bool ghcomp_barrier_tree_arrive(struct ghcomp_member *self, struct ghcomp_wait_pause *pause, uint32_t polls);

/* Fits the team's tree to its size. Master, between regions. */
void ghcomp_barrier_tree_fit(struct ghcomp_team *team);
/* As ghcomp_barrier_reset. */
void ghcomp_barrier_tree_reset(struct ghcomp_team *team);
