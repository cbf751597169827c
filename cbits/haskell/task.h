/* Explicit tasks with Haskell bodies. Protocol in task.c. */
#pragma once

#include "core/task/task.h"
#include "haskell/region.h"

/* The results of a construct for its caller. OpenMP.Internal.Team has the same values. */
enum {
    GHCOMP_HS_NOT_A_MEMBER = -1,
    GHCOMP_HS_DONE = 0,
    GHCOMP_HS_CANCELLED = 1,
    GHCOMP_HS_FOUND = 2,
    GHCOMP_HS_DESERTED = 3,
    GHCOMP_HS_ALONE = 4,
    GHCOMP_HS_IN_CRITICAL = -2
};

/* The data of a task. */
struct ghcomp_hs_task {
    void *closure;               /* the slot of its action (slots.c); Haskell reads this word and empties the slot */
    struct ghcomp_hs_region *region;
    struct ghcomp_task *task;    /* the task that this is the data of, while it runs */
    struct ghcomp_task *before;  /* the executor's current task when it started this one */
};

/* The state of a wait that returns early when it has found a task. Haskell allocates 64 bytes for it. */
struct ghcomp_hs_wait {
    struct ghcomp_hs_task *found; /* the first word */
    struct ghcomp_wait_pause pause;
};
_Static_assert(sizeof(struct ghcomp_hs_wait) <= 64, "OpenMP.Internal.Team allocates this much");

/* The function of all tasks with Haskell bodies: runs the body by an entry of its own. For members that wait in C. */
void ghcomp_hs_run_task(void *data);
/* Starts a task that the member has taken, for the Haskell code whose call of the runtime has this frame address. NULL:
   the body must not run, and the task is complete already. */
struct ghcomp_hs_task *ghcomp_hs_task_start(struct ghcomp_member *self, struct ghcomp_task *task, void *frame);
