/* Events of worksharing, leagues, masked regions and reductions for a tool. Protocol: tool.c. Called by abi/gomp,
 * abi/kmp and abi/observed/loop.h; for leagues by core/team/league.c. Covered by test/ompt.
 *
 * A member is in at most one worksharing construct of its team, so the record of its current task has the open one; its
 * end is reported with the kind, count and address of its begin. */
#include "core/tool/tool_call.h"
#include "core/tool/tool_filter.h"

static void report(struct ghcomp_tool_task *task, const struct ghcomp_tool_work *work, ompt_scope_endpoint_t endpoint)
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
    report(task, &task->work, ompt_scope_begin);
}

void ghcomp_tool_work_end(struct ghcomp_member *self)
{
    struct ghcomp_tool_task *task = ghcomp_tool_current(self);
    struct ghcomp_tool_work work = task->work;
    if (work.kind == 0)
        return;
    task->work.kind = (ompt_work_t)0;
    report(task, &work, ompt_scope_end);
}

void ghcomp_tool_work_passed(struct ghcomp_member *self, ompt_work_t kind, uint64_t count)
{
    ghcomp_tool_work_begin(self, kind, count);
    ghcomp_tool_work_end(self);
}

void ghcomp_tool_chunk(struct ghcomp_tool_task *task, ompt_dispatch_t kind, uint64_t start, uint64_t iterations)
{
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

/* --- leagues ------------------------------------------------------------------------------------------------------ */

/* On the thread that runs a team of a league, the record of the team's initial task replaces that of the thread's task;
   the record of an implicit task replaces it in turn, because the runtime opens a region of one thread in each team. */
void ghcomp_tool_league_begin(struct ghcomp_member *self, struct ghcomp_tool_league *league, uint32_t teams)
{
    struct ghcomp_tool_site site = ghcomp_tool_take(self->thread);
    league->task = ghcomp_tool_current(self);
    league->teams = teams;
    league->region = (struct ghcomp_tool_team){.return_address = site.return_address,
                                               .flags = ompt_parallel_league | ompt_parallel_invoker_runtime};
    ghcomp_tool_enter(league->task, &site);
    GHCOMP_TOOL_CALL(parallel_begin, &league->task->data, &league->task->frame, &league->region.data, teams,
                     league->region.flags, league->region.return_address);
}

void ghcomp_tool_league_team(struct ghcomp_member *self, struct ghcomp_tool_league_team *team,
                             struct ghcomp_tool_league *league, uint32_t number, void *frame)
{
    struct ghcomp_tool_task *initial = &team->initial, *implicit = &team->implicit;
    struct ghcomp_tool_thread *thread = ghcomp_tool_thread_of(self->thread);
    team->league = league;
    team->number = number;
    team->task = self->task->tool;
    team->team = self->team->tool;
    team->state = thread->state;
    thread->state = ompt_state_work_serial;
    *initial = (struct ghcomp_tool_task){.frame = GHCOMP_TOOL_NO_FRAME, .flags = ompt_task_initial,
                                         .region = &league->region, .around = league->task};
    self->task->tool = initial;
    self->team->tool = &league->region;
    GHCOMP_TOOL_CALL(implicit_task, ompt_scope_begin, &league->region.data, &initial->data, league->teams, number,
                     ompt_task_initial);
    ompt_data_t at = frame != NULL ? (ompt_data_t){.ptr = frame} : league->task->frame.enter_frame;
    initial->frame = (ompt_frame_t){at, at, GHCOMP_TOOL_FRAME, GHCOMP_TOOL_FRAME};
    team->inner = (struct ghcomp_tool_team){.return_address = league->region.return_address,
                                            .flags = ompt_parallel_team | ompt_parallel_invoker_runtime};
    GHCOMP_TOOL_CALL(parallel_begin, &initial->data, &initial->frame, &team->inner.data, 1, team->inner.flags,
                     team->inner.return_address);
    *implicit = (struct ghcomp_tool_task){.frame = GHCOMP_TOOL_NO_FRAME,
                                          .flags = ompt_task_implicit | ompt_task_undeferred,
                                          .region = &team->inner, .around = initial};
    self->task->tool = implicit;
    self->team->tool = &team->inner;
    GHCOMP_TOOL_CALL(implicit_task, ompt_scope_begin, &team->inner.data, &implicit->data, 1, 0,
                     ompt_task_implicit);
}

void ghcomp_tool_league_team_end(struct ghcomp_member *self, struct ghcomp_tool_league_team *team)
{
    ghcomp_tool_task_forget(self->task);
    GHCOMP_TOOL_CALL(implicit_task, ompt_scope_end, NULL, &team->implicit.data, 1, 0, ompt_task_implicit);
    self->task->tool = &team->initial;
    self->team->tool = &team->league->region;
    GHCOMP_TOOL_CALL(parallel_end, &team->inner.data, &team->initial.data, team->inner.flags,
                     team->inner.return_address);
    GHCOMP_TOOL_CALL(implicit_task, ompt_scope_end, NULL, &team->initial.data, 0, team->number, ompt_task_initial);
    self->task->tool = team->task;
    self->credits = ghcomp_tool_no_credits;
    self->team->tool = team->team;
    ghcomp_tool_thread_of(self->thread)->state = team->state;
}

void ghcomp_tool_league_end(struct ghcomp_member *self, struct ghcomp_tool_league *league)
{
    ghcomp_tool_take(self->thread);
    GHCOMP_TOOL_CALL(parallel_end, &league->region.data, &league->task->data, league->region.flags,
                     league->region.return_address);
    league->task->frame.enter_frame.ptr = NULL;
}
