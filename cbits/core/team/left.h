/* Teams with left tasks: ready tasks with threadset(omp_pool) for which no free agent could be called. Protocol:
   left.c. */
#pragma once

#include "core/sync/seats.h"

/* Whether some team is listed. To be read after the reader has counted itself out (agents.c, step 3). */
bool ghcomp_left_any(void);
/* Whether the team is; by a thread that has put a task into its queue. */
bool ghcomp_left_listed(const struct ghcomp_team *team);
/* Lists the team of the calling member, which has seats. `kind` is that of the team's workers. */
void ghcomp_left_list(struct ghcomp_member *self, const struct ghcomp_kind *kind);
/* Puts a ready task into the team's queue, and lists the team, if it has been listed in its region. By a thread outside
   of it, for which the task is the only reason that the region goes on. */
void ghcomp_left_put(struct ghcomp_team *team, struct ghcomp_task *task);
/* An agent's search for a left task, and what it has found. */
struct ghcomp_left_visit {
    struct ghcomp_left *left;      /* for `admit` */
    struct ghcomp_seat *seat;
    struct ghcomp_task *task;
    struct ghcomp_float_control float_control;
    const struct ghcomp_thread *worker;
    const struct ghcomp_team *own; /* the team that the agent was called for ... */
    bool anywhere;                 /* ... and whether it may go to others */
    bool shares;                   /* all CPUs are wanted: to teams of one alone */
};
/* Takes a left task of the first team in the list that has one and that `admit` admits, which takes a seat there, and
   what an agent needs. The visit is counted. Where no task is left after all, `refuse` gives all that back. */
bool ghcomp_left_take(struct ghcomp_left_visit *visit, bool (*admit)(struct ghcomp_left_visit *),
                      void (*refuse)(struct ghcomp_left_visit *));
/* In the child of fork(). */
void ghcomp_left_fork_child(void);
