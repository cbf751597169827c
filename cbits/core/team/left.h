/* Teams with left tasks: ready tasks with threadset(omp_pool) for which no free agent could be called. Protocol:
   left.c. */
#pragma once

#include "core/sync/seats.h"

/* Whether any team is listed. An agent calls it after it has counted itself out (agents.c, step 3). */
bool ghcomp_left_any(void);
/* Whether the team is listed. Called by a thread that has put a task into its queue. */
bool ghcomp_left_listed(const struct ghcomp_team *team);
/* Lists the team of the calling member, which has seats. `kind` is that of the team's workers. */
void ghcomp_left_list(struct ghcomp_member *self, const struct ghcomp_kind *kind);
/* Puts a ready task into the team's queue, and lists the team if it was listed before in this region. Called by a
   thread outside the team, when only this task keeps the region going. */
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
    bool shares;                   /* regions and Haskell need all CPUs: the agent goes only to teams of one */
};
/* Takes a left task of the first listed team that has one and that `admit` accepts. `admit` takes a seat there and
   whatever else an agent needs; `refuse` gives these back if the team has no task after all. Counts the visit. */
bool ghcomp_left_take(struct ghcomp_left_visit *visit, bool (*admit)(struct ghcomp_left_visit *),
                      void (*refuse)(struct ghcomp_left_visit *));
/* In the child of fork(). */
void ghcomp_left_fork_child(void);
