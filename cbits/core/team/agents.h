/* Free agents: idle workers that run tasks of teams that they are no members of. Protocol: agents.c; what the tasks'
   side calls is in task.h. */
#pragma once

#include "core/state/types.h"

/* The errand of a worker that becomes an agent; and when it is in the pool again. */
void ghcomp_agents_errand(void *seat);
void ghcomp_agents_returned(void);
/* A region finds no worker: agents that are between tasks come back. True: one has. */
bool ghcomp_agents_recall(void);
/* In a team of one: runs, or waits for, the tasks that it has left to agents. By its member, outside of tasks. */
void ghcomp_agents_finish(struct ghcomp_member *self);
/* The same at the end of an initial thread, unless the program's main is Haskell's and has ended. */
void ghcomp_agents_thread_ends(struct ghcomp_member *self);
/* In the child of fork(), whose thread is `self`, or NULL. */
void ghcomp_agents_fork_child(const struct ghcomp_member *self);
