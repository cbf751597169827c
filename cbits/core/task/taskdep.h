/* Task dependences (OpenMP 5.2, section 15.9.5). Protocol in taskdep.c.
 *
 * Dependences order siblings, so the table of addresses belongs to the parent and only its executor reads and writes
 * it. Other threads touch only the tasks' nodes: how many predecessors a task waits for, and which tasks wait for it.
 */
#pragma once

#include "core/state/types.h"

/* Enters the new task (from ghcomp_task_new, a child of the current task) into the order of its siblings by the ABI's
   depend list. Sets task->node. The task cannot become ready before ghcomp_depend_commit. */
void ghcomp_depend_register(struct ghcomp_member *self, struct ghcomp_task *task, void **depend);
/* Ends the registration. True: all predecessors are complete and the mutexinoutset mutexes taken; the caller runs the
   task or makes it ready. False: ghcomp_depend_complete will make it ready, or has done so. */
bool ghcomp_depend_commit(struct ghcomp_member *self, struct ghcomp_task *task);
/* The task is complete: releases its successors (ghcomp_task_ready, or the team's queue) and drops task->node.
   `self` and `team` as in ghcomp_task_ready. `keep`: the caller is a member in a barrier, and runs at once what is
   returned, if anything is: a task that was made ready. */
struct ghcomp_task *ghcomp_depend_complete(struct ghcomp_member *self, struct ghcomp_team *team,
                                           struct ghcomp_task *task, bool keep);
/* Frees the task's table, at the end of its region. By its executor. */
void ghcomp_depend_forget(struct ghcomp_task *parent);
/* The same when all its children are complete: but what they have exported to later ones stays. */
void ghcomp_depend_waited(struct ghcomp_task *parent);
/* The new task's children are to have dependences with tasks outside of it: omp_impex_t's values. Before
   ghcomp_depend_register, if it has a depend clause, too. Sets task->node and task->table. */
enum { GHCOMP_DEPEND_IMPORTS = 1, GHCOMP_DEPEND_EXPORTS = 2 };
void ghcomp_depend_open(struct ghcomp_member *self, struct ghcomp_task *task, unsigned impex);
/* In the child of fork(), whose thread runs the task, or a task inside of it: other threads may have left what it
   shares in any state, so it is left alone. */
void ghcomp_depend_fork_child(struct ghcomp_task *task);
/* Whether the task, which the caller runs, is transparent. */
bool ghcomp_depend_transparent(const struct ghcomp_task *task);
/* Whether `task`, which is ready and the caller's or under its queue's lock, comes before `current`, which is
   transparent and the caller's: it is in the same domain, at an earlier position, or was a sibling of the domain's
   tasks before there was a domain. */
bool ghcomp_depend_before(const struct ghcomp_task *task, const struct ghcomp_task *current);
/* The thread ends (taskdep_heap.c). After ghcomp_depend_forget of its initial task. */
void ghcomp_depend_heap_free(struct ghcomp_thread *thread);
/* Whether the clause has a mutexinoutset, which the task holds while its code runs. */
bool ghcomp_depend_excludes(void **depend);
/* Reports the clause to a tool. */
void ghcomp_depend_report(struct ghcomp_task *task, void **depend);
/* A copy of the clause with its depend objects, in memory of malloc's; NULL: it has no dependence. */
void **ghcomp_depend_copy(void **depend);
