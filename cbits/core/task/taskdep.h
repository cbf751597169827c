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
   task or makes it ready. False: ghcomp_task_ready will be called for it, or has been already. */
bool ghcomp_depend_commit(struct ghcomp_member *self, struct ghcomp_task *task);
/* The task is complete: releases its successors (ghcomp_task_ready for each that is ready now) and drops task->node.
   `self` and `team` as in ghcomp_task_ready. */
void ghcomp_depend_complete(struct ghcomp_member *self, struct ghcomp_team *team, struct ghcomp_task *task);
/* Frees the task's table: at the end of its region, and whenever all its children are complete. By its executor. */
void ghcomp_depend_forget(struct ghcomp_task *parent);
/* The thread ends (taskdep_heap.c). After ghcomp_depend_forget of its initial task. */
void ghcomp_depend_heap_free(struct ghcomp_thread *thread);
/* Whether the clause has a mutexinoutset, which the task holds while its code runs. */
bool ghcomp_depend_excludes(void **depend);
/* Reports the clause to a tool. */
void ghcomp_depend_report(struct ghcomp_task *task, void **depend);
/* A copy of the clause with its depend objects, in memory of malloc's; NULL: it has no dependence. */
void **ghcomp_depend_copy(void **depend);
