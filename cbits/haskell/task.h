/* Explicit tasks with Haskell bodies. Protocol in task.c. */
#pragma once

#include "core/task/task.h"
#include "haskell/region.h"

/* How a construct ended for its caller; known to GHC.OpenMP.Internal.Team. */
enum {
    GHCOMP_HS_NOT_A_MEMBER = -1,
    GHCOMP_HS_DONE = 0,
    GHCOMP_HS_CANCELLED = 1,
    GHCOMP_HS_FOUND = 2
};

/* The data of a task. */
struct ghcomp_hs_task {
    void *closure;               /* StablePtr (IO ()), freed by who starts the task; the first word: Haskell reads it */
    struct ghcomp_hs_region *region;
    struct ghcomp_task *task;    /* itself, while it runs */
    struct ghcomp_task *before;  /* executor: what it ran when it started the task */
};

/* A wait that comes back with tasks: Haskell gives 64 bytes for it. */
struct ghcomp_hs_wait {
    struct ghcomp_hs_task *found; /* the first word */
    struct ghcomp_wait_pause pause;
};
_Static_assert(sizeof(struct ghcomp_hs_wait) <= 64, "GHC.OpenMP.Internal.Task allocates this much");

/* The function of each such task: runs it by an entry of its own. For waits in C. */
void ghcomp_hs_run_task(void *data);
/* Starts a task that was taken; NULL when its body is not to be run (then it is complete already). */
struct ghcomp_hs_task *ghcomp_hs_task_start(struct ghcomp_member *self, struct ghcomp_task *task);
