/* Events of explicit tasks for a tool. Protocol: tool.c. Covered by test/ompt.
 *
 * A task's record is made with the task, by the thread that makes it, and freed with it; from its start to its end it
 * is its executor's. */
#include "core/tool/tool_call.h"

#include <stdlib.h>

void ghcomp_tool_task_new(struct ghcomp_task *task, size_t bytes, int flags)
{
    struct ghcomp_tool_task *record = ghcomp_tool_task_of(task);
    record->flags = ompt_task_explicit | flags;
    record->memory = bytes;
}

void ghcomp_tool_task_create(struct ghcomp_member *self, struct ghcomp_task *task, int flags, bool dependent)
{
    struct ghcomp_tool_task *record = ghcomp_tool_task_of(task), *parent = ghcomp_tool_current(self);
    if (record->created)
        return;
    struct ghcomp_tool_site site = ghcomp_tool_take(self->thread);
    record->created = true;
    record->flags |= flags;
    record->team = self->team;
    ghcomp_tool_enter(parent, &site);
    GHCOMP_TOOL_CALL(task_create, &parent->data, &parent->frame, &record->data, record->flags, dependent,
                     site.return_address);
    parent->frame.enter_frame.ptr = NULL;
}

void ghcomp_tool_task_dependences(struct ghcomp_task *task, const ompt_dependence_t *list, int count)
{
    GHCOMP_TOOL_CALL(dependences, &ghcomp_tool_task_of(task)->data, list, count);
}

void ghcomp_tool_task_pair(struct ghcomp_task *before, struct ghcomp_task *after)
{
    if (before->tool != NULL && after->tool != NULL)
        GHCOMP_TOOL_CALL(task_dependence, &before->tool->data, &after->tool->data);
}

static void tell(struct ghcomp_tool_task *prior, ompt_task_status_t status, struct ghcomp_tool_task *next)
{
    GHCOMP_TOOL_CALL(task_schedule, &prior->data, status, next != NULL ? &next->data : NULL);
}

void ghcomp_tool_task_start(struct ghcomp_member *self, struct ghcomp_task *prior, struct ghcomp_task *next)
{
    struct ghcomp_tool_task *from = ghcomp_tool_task_of(prior), *to = ghcomp_tool_task_of(next);
    to->around = from;
    to->team = self->team;
    to->thread_num = self->tid;
    tell(from, ompt_task_switch, to);
}

void ghcomp_tool_task_finish(struct ghcomp_member *self, struct ghcomp_task *task, struct ghcomp_task *next,
                             ompt_task_status_t status)
{
    struct ghcomp_tool_task *from = ghcomp_tool_task_of(task);
    from->frame.exit_frame.ptr = NULL;
    (void)self;
    tell(from, from->cancelled && status == ompt_task_complete ? ompt_task_cancel : status,
         ghcomp_tool_task_of(next));
}

void ghcomp_tool_task_fulfilled(struct ghcomp_task *task, ompt_task_status_t status)
{
    if (task->tool != NULL)
        tell(task->tool, status, NULL);
}

void ghcomp_tool_task_discarded(struct ghcomp_member *self, struct ghcomp_task *task)
{
    struct ghcomp_tool_task *record = ghcomp_tool_task_of(task);
    (void)self;
    record->cancelled = true;
    GHCOMP_TOOL_CALL(cancel, &record->data, ompt_cancel_taskgroup | ompt_cancel_discarded_task, NULL);
}

void ghcomp_tool_task_free(struct ghcomp_task *task)
{
    free(task->tool);
    task->tool = NULL;
}
