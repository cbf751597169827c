/* Which teams are large, that is, have a tree. Policy: barrier_policy.c. */
#pragma once

#include "core/state/settings.h"
#include "core/state/types.h"

/* Teams of this size or more have a tree. Immutable after ghcomp_barrier_policy_init, except in unit tests. */
extern uint32_t ghcomp_tree_from;

/* Makes the choice for the process. env.c, once the ICVs have been read and the places are made. */
void ghcomp_barrier_policy_init(void);
/* The kind in force. */
enum ghcomp_barrier_kind ghcomp_barrier_policy_kind(void);
/* Chooses how a team whose size has changed waits. Called by the master, between regions. */
void ghcomp_barrier_policy_fit(struct ghcomp_team *team);
