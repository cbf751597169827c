/* Which teams are large: those that have a tree. Policy in barrier_policy.c. */
#pragma once

#include "core/state/types.h"

/* GHCOMP_BARRIER, GOMP_BARRIER_TYPE. */
enum ghcomp_barrier_kind { GHCOMP_BARRIER_AUTO, GHCOMP_BARRIER_FLAT, GHCOMP_BARRIER_TREE };

/* Teams of this size or more have a tree. Immutable after ghcomp_large_init, but in unit tests. */
extern uint32_t ghcomp_large_from;

/* Makes the choice for the process. env.c, when the ICVs have been read. */
void ghcomp_large_init(void);
/* The kind in force. */
enum ghcomp_barrier_kind ghcomp_large_kind(void);
/* The team has got its size. Master, between regions. */
void ghcomp_large_fit(struct ghcomp_team *team);
