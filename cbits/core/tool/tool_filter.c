/* Filtered tasks: no events, at the tool's request.
 *
 * A tool may set a filter, which decides for each task construct whether its task is reported. A filtered task has no
 * record and no events, and runs as if there were no tool. Two things need care.
 *
 * Interruption. The tool measures what its threads do between events. So while a thread runs a reported task, the start
 * and the end of a filtered one are reported after all (ghcomp_tool_interrupts): as ompt_callback_task_schedule,
 * without a creation, and with a record from then on. A task below that one is filtered again. So the measured time of
 * a reported task is only its own. For waits see ghcomp_tool_idles (tool_sync.c). If cancel-var is true the filter is
 * not called, because every task that does not start must be reported.
 *
 * Late records. A filtered task that has an event after all gets a record then. The task's pointer to it must not
 * change while other threads read it: so a tool with a filter gets no task_dependence. The executor of a task that runs
 * at once tests only `living` before it frees the task; so a record makes `living` not 0.
 *
 * clang allocates a task before its construct is known, so with a filter the task has no record until it is submitted
 * (abi/kmp/kmp_task.c).
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
    bool reports = filter(&thread->data, return_address, &by) != 0;
    *ghcomp_tool_credit_of(thread->credits, return_address) =
        (struct ghcomp_tool_credit){by.left != NULL ? return_address : NULL, by};
    return !reports;
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
    task->living |= 1; /* as if the task had had children, so that its end also frees the record */
    return record;
}
