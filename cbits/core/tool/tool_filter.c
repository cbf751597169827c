/* Tasks of which a tool is told nothing, because it does not want to be.
 *
 * A tool may set a filter, which says for each task construct whether the tool is told of the task. A task that it
 * leaves out has no record and no events, and runs as if there were no tool. Two things need care.
 *
 * Interruption. The tool measures what its threads do between events. So while a thread runs a task that has been told,
 * the start and the end of a task that has been left out are told after all (ghcomp_tool_interrupts): as
 * ompt_callback_task_schedule, without a creation, and with a record from then on. A task below that one is left out
 * again. So the time of a task that has been told is its own. For waits see ghcomp_tool_idles (tool_sync.c). Where
 * constructs may be cancelled the filter is not asked: each task that does not start is told.
 *
 * Late records. A task that was left out and then comes to an event gets a record by it. It must not do so while other
 * threads read its pointer: so the tool learns of no task_dependence while there is a filter. A task that runs at once
 * is given back by its executor without a look at anything but `living`; that it has a record makes this not 0.
 *
 * Of clang's code a task is made before it is known what construct it is of, so with a filter it has no record until
 * then (abi/kmp/kmp_task.c).
 *
 * Called by core/task, abi/gomp/gomp_task.c and abi/kmp/kmp_task*.c. Covered by test/ompt/filter.c and test/profile.
 */
#include "core/task/task.h"
#include "core/tool/tool_call.h"
#include "core/tool/tool_filter.h"

_Atomic(ghcomp_task_filter_t) ghcomp_tool_filter;
struct ghcomp_tool_credit ghcomp_tool_no_credits[GHCOMP_TOOL_CREDITS];

bool ghcomp_tool_pairs(void)
{
    return !ghcomp_tool_filters() && ghcomp_tool_callback(ompt_callback_task_dependence) != NULL;
}

bool ghcomp_tool_ask_filter(ghcomp_task_filter_t filter, struct ghcomp_tool_thread *thread, const void *return_address)
{
    ghcomp_filter_credit_t by = {NULL};
    bool told = filter(&thread->data, return_address, &by) != 0;
    *ghcomp_tool_credit_of(thread->credits, return_address) =
        (struct ghcomp_tool_credit){by.left != NULL ? return_address : NULL, by};
    return !told;
}

bool ghcomp_tool_filtered_by_call(const struct ghcomp_member *self, const void *return_address)
{
    ghcomp_task_filter_t filter = ghcomp_load_acquire(&ghcomp_tool_filter);
    struct ghcomp_tool_thread *thread = self->thread->tool;
    if (filter == NULL || thread == NULL || ghcomp_global.cancel)
        return false;
    return ghcomp_tool_ask_filter(filter, thread, return_address);
}

bool ghcomp_tool_interrupts(struct ghcomp_member *self, struct ghcomp_task *task)
{
    const struct ghcomp_tool_task *current = self->task->tool;
    if (ghcomp_load_acquire(&ghcomp_tool_filter) == NULL || task->tool != NULL)
        return false;
    if (current == NULL || !current->created)
        return false;
    ghcomp_tool_late_record(self, task);
    return true;
}

struct ghcomp_tool_task *ghcomp_tool_late_record(struct ghcomp_member *self, struct ghcomp_task *task)
{
    struct ghcomp_tool_task *record = ghcomp_tool_new_record(ghcomp_tool_thread_of(self->thread));
    record->flags = ompt_task_explicit;
    record->region = self->team->tool;
    record->around = ghcomp_tool_task_of(&self->implicit);
    record->thread_num = self->tid;
    task->tool = record;
    task->traits |= GHCOMP_TASK_REPORTED;
    task->living |= 1; /* as if it had had children: it is not given back without a look */
    return record;
}
