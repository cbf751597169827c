/* Taskgroups. Protocol in taskgroup.c. */
#pragma once

#include "core/state/types.h"

struct ghcomp_taskgroup {
    struct ghcomp_taskgroup *outer;  /* the one that the opening task was in; of a free one: the next free one */
    struct ghcomp_task *opener;      /* the task that opened it, and that waits for it */
    uintptr_t *reductions;           /* executor of the opener writes before the tasks that read it exist: the chain of
                                        registered reduction arrays (task_reduction.c); NULL = none */
    struct ghcomp_combine *combine;  /* the same for the reductions that the runtime combines (task_combine.c) */
    const void *filtered;            /* NULL, or where a filtered task opened it (observed/taskgroup.h) */
    bool workshare;                  /* made for the task reductions of a worksharing or parallel construct */
    uint32_t number;                 /* of a free one: how many there are from it on */
    uint32_t due;                    /* the opener's executor only: top tasks that have not ended with all their
                                        descendants */
    _Atomic uint32_t reported GHCOMP_ALIGNED; /* those that ended on other threads: a pending count (task_wait.c) */
    _Atomic bool cancelled;          /* atomic(relaxed): tasks that have not started do not; others leave at their next
                                        cancellation point */
};

/* Opens and ends a taskgroup region of the current task; the end waits for its tasks and all their descendants. */
struct ghcomp_taskgroup *ghcomp_taskgroup_start(struct ghcomp_member *self);
void ghcomp_taskgroup_end(struct ghcomp_member *self);
/* The same for a filtered task (core/tool/tool_filter.c), by an entry that has found that it is, and at the end that
   the group is filtered. */
void ghcomp_taskgroup_start_filtered(struct ghcomp_member *self, const void *return_address);
void ghcomp_taskgroup_end_filtered(struct ghcomp_member *self, const void *return_address, void *frame);
/* The end with a pause (task.h): false when pause->task is to be run; the taskgroup has not ended then. */
struct ghcomp_wait_pause;
bool ghcomp_taskgroup_end_paused(struct ghcomp_member *self, struct ghcomp_wait_pause *pause);

/* Frees the groups that the members' implicit tasks have left open, because their region was cancelled. Called by the
   master, after the join. */
void ghcomp_taskgroup_abandon(struct ghcomp_team *team) __attribute__((cold));

/* The thread ends: frees what it has kept. */
void ghcomp_taskgroup_forget(struct ghcomp_thread *thread);

/* Whether tasks of the group must not start any more. */
bool ghcomp_taskgroup_cancelled(const struct ghcomp_taskgroup *group);
