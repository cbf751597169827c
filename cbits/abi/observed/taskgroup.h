/* taskgroup for both compilers' entries. `return_address` and `frame` are those of the entry's call, for a tool.
 * Covered by test/ompt, test/conformance/taskgroup and test/clang/taskgroups.c. */
#pragma once

#include "abi/abi.h"
#include "core/task/taskgroup.h"
#include "core/tool/tool_filter.h"

static inline __attribute__((always_inline)) void ghcomp_taskgroup_enter(const void *return_address, void *frame)
{
    struct ghcomp_member *self = ghcomp_self();
    if (ghcomp_tool_on()) {
        if (ghcomp_tool_filters_alone() && ghcomp_tool_task_filtered(self->task)) {
            ghcomp_taskgroup_start_filtered(self, return_address);
            return;
        }
        ghcomp_tool_note(return_address, frame, 0);
    }
    ghcomp_taskgroup_start(self);
}

static inline __attribute__((always_inline)) void ghcomp_taskgroup_leave(const void *return_address, void *frame)
{
    struct ghcomp_member *self = ghcomp_self();
    if (ghcomp_tool_on()) {
        if (self->task->group->filtered != NULL) {
            ghcomp_taskgroup_end_filtered(self, return_address, frame);
            return;
        }
        ghcomp_tool_note(return_address, frame, 0);
    }
    ghcomp_taskgroup_end(self);
}
