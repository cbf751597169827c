/* taskwait on observed paths, for both compilers' entries. `return_address` and `frame` are those of the entry's call,
 * for a tool. Covered by test/ompt, test/conformance/taskwait and test/clang/tasks.c. */
#pragma once

#include "abi/abi.h"
#include "core/task/task.h"
#include "core/task/task_graph.h"
#include "core/task/taskdep.h"
#include "core/tool/tool_filter.h"

static __attribute__((noinline, cold)) void taskwait_reported(const void *return_address, void *frame)
{
    if (ghcomp_tool_on())
        ghcomp_tool_note(return_address, frame, 0);
    ghcomp_task_wait(ghcomp_self());
}

/* Where ghcomp_self_fast is NULL. With a filter a wait for tasks that are complete is not reported. */
static inline __attribute__((always_inline)) void ghcomp_taskwait_observed(const void *return_address, void *frame)
{
    struct ghcomp_member *self = ghcomp_self_member;
    if (ghcomp_likely(self != NULL && ghcomp_tool_filters_alone() && !ghcomp_graph_records(self))) {
        struct ghcomp_task *task = self->task;
        if (ghcomp_task_waits_for_none(task)) {
            if (ghcomp_unlikely(task->table != NULL))
                ghcomp_depend_waited(task);
            return;
        }
        if (ghcomp_likely(ghcomp_tool_task_filtered(task))) {
            ghcomp_task_wait_filtered(self, return_address, frame);
            return;
        }
    }
    taskwait_reported(return_address, frame);
}
