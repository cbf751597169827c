/* Filtered regions: no events, at the tool's request.
 *
 * A tool may set a filter for regions, which decides for each outermost parallel region whether it is reported. A
 * filtered region runs as if there were no tool: no parallel_begin and no parallel_end, no implicit tasks, and no
 * barrier at its end beyond the join. Regions inside of others are always reported, so the filter is not called.
 *
 * Late members. Events inside of a filtered region are reported. Before a member's first event its implicit task begins
 * for the tool; it ends with the member's part. The tool gets NULL for the region's data, by which it recognises a
 * filtered region. The members of a filtered region have no record, so the first event that needs one makes it
 * (ghcomp_tool_make_task). Events of locks do not need a record, but make one, too. A worker reports its late end after
 * it has answered the master: no event of a reported region can come later.
 *
 * Protocol: the master writes team.filtered before the workers begin, and team.tool likewise; no thread writes
 * team.tool in a filtered region. Only the member's thread uses a record.
 *
 * Called by core/team/team.c, abi/gomp/gomp_parallel.c and abi/kmp/kmp_parallel.c. Covered by
 * test/ompt/filter_region.c and test/profile.
 */
#include "core/tool/tool_call.h"
#include "core/tool/tool_filter.h"

_Atomic(ghcomp_task_filter_t) ghcomp_tool_region_filter;

bool ghcomp_tool_region_filtered_by_call(const struct ghcomp_member *self, const void *return_address)
{
    ghcomp_task_filter_t filter = ghcomp_load_acquire(&ghcomp_tool_region_filter);
    struct ghcomp_tool_thread *thread = self->thread->tool;
    return filter != NULL && thread != NULL && ghcomp_tool_ask_filter(filter, thread, return_address);
}

void ghcomp_tool_filtered_part_begin(struct ghcomp_member *self)
{
    ghcomp_tool_thread_of(self->thread)->state = ompt_state_work_parallel;
    if (ghcomp_unlikely(self->implicit.tool != NULL))
        ghcomp_tool_task_free(&self->implicit);
}

void ghcomp_tool_filtered_region_begin(struct ghcomp_team *team)
{
    struct ghcomp_tool_team *region = ghcomp_tool_team_of(team);
    if (ghcomp_unlikely(region->return_address != NULL || region->data.value != 0))
        *region = (struct ghcomp_tool_team){.flags = ompt_parallel_team | ompt_parallel_invoker_runtime};
    ghcomp_tool_filtered_part_begin(&team->master);
}

struct ghcomp_tool_task *ghcomp_tool_late_member(struct ghcomp_member *self)
{
    struct ghcomp_tool_task *record = ghcomp_tool_new_record(ghcomp_tool_thread_of(self->thread));
    self->implicit.tool = record;
    record->late = true;
    ghcomp_tool_report_implicit_begin(self);
    return record;
}

void ghcomp_tool_filtered_part_end(struct ghcomp_member *self)
{
    struct ghcomp_tool_task *record = self->implicit.tool;
    if (record != NULL && record->late) {
        ghcomp_tool_part_end(self);
        GHCOMP_TOOL_CALL(implicit_task, ompt_scope_end, NULL, &record->data, 0, self->tid, ompt_task_implicit);
        ghcomp_tool_task_free(&self->implicit);
    }
    ompt_state_t after = self->tid != 0                       ? ompt_state_idle
                         : self->team->parent->team->level == 0 ? ompt_state_work_serial
                                                                : ompt_state_work_parallel;
    ghcomp_tool_thread_of(self->thread)->state = after;
}
