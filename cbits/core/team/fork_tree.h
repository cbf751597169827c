/* The fork of a large team: workers pass the region on to other workers. Protocol: fork_tree.c. */
#pragma once

#include "core/state/types.h"

/* Starts the workers of a large team (ghcomp_team_release). */
void ghcomp_fork_tree_release(struct ghcomp_team *team, void (*fn)(void *), void *data);
/* Starts the members that the worker's new mail leaves to it, if any. */
void ghcomp_fork_tree_pass_on(struct ghcomp_thread *worker);
