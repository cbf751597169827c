/* Events of worksharing, masked regions and reductions for a tool. Protocol: tool.c. Covered by test/ompt.
 *
 * A member is in one worksharing construct of its team at a time, so the open one is kept in the record of its current
 * task; the end has the kind, the count and the address of the begin. */
#include "core/tool/tool_call.h"

static void tell(struct ghcomp_tool_task *task, const struct ghcomp_tool_work *work, ompt_scope_endpoint_t endpoint)
{
    GHCOMP_TOOL_CALL(work, work->kind, endpoint, ghcomp_tool_region_of(task), &task->data, work->count,
                     work->return_address);
}

void ghcomp_tool_work_begin(struct ghcomp_member *self, ompt_work_t kind, uint64_t count)
{
    struct ghcomp_tool_task *task = ghcomp_tool_current(self);
    struct ghcomp_tool_site site = ghcomp_tool_take(self->thread);
    if (task->work.kind != 0)
        ghcomp_tool_work_end(self);
    task->work = (struct ghcomp_tool_work){kind, count, site.return_address};
    tell(task, &task->work, ompt_scope_begin);
}

void ghcomp_tool_work_end(struct ghcomp_member *self)
{
    struct ghcomp_tool_task *task = ghcomp_tool_current(self);
    struct ghcomp_tool_work work = task->work;
    if (work.kind == 0)
        return;
    task->work.kind = (ompt_work_t)0;
    tell(task, &work, ompt_scope_end);
}

void ghcomp_tool_work_passed(struct ghcomp_member *self, ompt_work_t kind, uint64_t count)
{
    ghcomp_tool_work_begin(self, kind, count);
    ghcomp_tool_work_end(self);
}

void ghcomp_tool_chunk(struct ghcomp_member *self, ompt_dispatch_t kind, uint64_t start, uint64_t iterations)
{
    struct ghcomp_tool_task *task = ghcomp_tool_current(self);
    ompt_dispatch_chunk_t chunk = {start, iterations};
    ompt_data_t instance = {.ptr = &chunk};
    GHCOMP_TOOL_CALL(dispatch, ghcomp_tool_region_of(task), &task->data, kind, instance);
}

void ghcomp_tool_section(struct ghcomp_member *self, const void *where)
{
    struct ghcomp_tool_task *task = ghcomp_tool_current(self);
    ompt_data_t instance = {.ptr = (void *)(uintptr_t)where};
    GHCOMP_TOOL_CALL(dispatch, ghcomp_tool_region_of(task), &task->data, ompt_dispatch_section, instance);
}

void ghcomp_tool_masked(struct ghcomp_member *self, ompt_scope_endpoint_t endpoint)
{
    struct ghcomp_tool_task *task = ghcomp_tool_current(self);
    struct ghcomp_tool_site site = ghcomp_tool_take(self->thread);
    GHCOMP_TOOL_CALL(masked, endpoint, ghcomp_tool_region_of(task), &task->data, site.return_address);
}

void ghcomp_tool_reduction(struct ghcomp_member *self, ompt_scope_endpoint_t endpoint)
{
    struct ghcomp_tool_task *task = ghcomp_tool_current(self);
    const void *return_address = ghcomp_tool_thread_of(self->thread)->site.return_address;
    GHCOMP_TOOL_CALL_AS(reduction, ompt_callback_sync_region_t, ompt_sync_region_reduction, endpoint,
                        ghcomp_tool_region_of(task), &task->data, return_address);
}
