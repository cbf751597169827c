/* taskloop: a loop whose iterations are divided among tasks. Rules in taskloop.c. */
#pragma once

#include "core/worksharing/loop.h"

struct ghcomp_taskloop {
    void (*fn)(void *);
    void *data;                    /* begins with the first iteration and the end of a task, 8 bytes each; then, when
                                      there is a reduction clause, the address of the reduction array */
    void (*copy)(void *, void *);  /* makes a task's data from this; NULL: its bytes are copied */
    size_t bytes, align;           /* of the data */
    unsigned flags;                /* enum ghcomp_task_flag */
    uint64_t amount;               /* of tasks, or of a task's iterations with GHCOMP_TASK_FLAG_GRAINSIZE; 0 = choose */
    int priority;
    /* NULL, or creates and submits the task of these iterations, with the clauses in `flags`, instead of the above.
       `last`: it is the loop's last task. */
    void (*make)(struct ghcomp_member *self, const struct ghcomp_taskloop *loop, uint64_t first, uint64_t end,
                 bool last);
};

/* Runs the whole construct: divides the range into tasks, which are made by the member or by tasks of their own, in a
   taskgroup, for whose end it waits, unless the flags say `nogroup`. */
void ghcomp_taskloop_run(struct ghcomp_member *self, const struct ghcomp_taskloop *loop,
                         struct ghcomp_loop_range range);
