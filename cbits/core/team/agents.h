/* Free agents: idle workers that run tasks of teams that they are no members of. Protocol: agents.c; what the tasks'
   side calls is in task.h. */
#pragma once

#include "core/state/types.h"

/* The errand (ghcomp_pool_send) of a worker that becomes an agent, and what that worker calls once it is back in the
   pool. */
void ghcomp_agents_errand(void *seat);
void ghcomp_agents_returned(void);
/* For a region that finds no worker: makes agents that are between tasks return to the pool. True: one has returned. */
bool ghcomp_agents_recall(void);
/* In a team of one: runs the tasks left to agents, or waits for the agents that run them. Called by the member, outside
   of tasks. */
void ghcomp_agents_finish(struct ghcomp_member *self);
/* The same at the end of an initial thread, unless the program's main is Haskell's and has ended. */
void ghcomp_agents_thread_ends(struct ghcomp_member *self);
/* In the child of fork(). `self` is the member of its only thread; NULL: the runtime does not know that thread. */
void ghcomp_agents_fork_child(const struct ghcomp_member *self);
