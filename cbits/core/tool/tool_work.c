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

/* The teams of a league run one after the other on the encountering thread. In the place of the encountering task's
   record stands that of the team's initial task, and then that of the implicit task of a region of one thread, which
   the runtime opens in each team. */
void ghcomp_tool_league_begin(struct ghcomp_member *self, struct ghcomp_tool_league *league, uint32_t teams)
{
    struct ghcomp_tool_site site = ghcomp_tool_take(self->thread);
    league->task = ghcomp_tool_current(self);
    league->team = self->team->tool;
    league->teams = teams;
    league->league = (struct ghcomp_tool_team){.return_address = site.return_address,
                                               .flags = ompt_parallel_league | ompt_parallel_invoker_runtime};
    ghcomp_tool_enter(league->task, &site);
    GHCOMP_TOOL_CALL(parallel_begin, &league->task->data, &league->task->frame, &league->league.data, teams,
                     league->league.flags, league->league.return_address);
}

void ghcomp_tool_league_team(struct ghcomp_member *self, struct ghcomp_tool_league *league, uint32_t number)
{
    struct ghcomp_tool_task *initial = &league->initial, *implicit = &league->implicit;
    league->number = number;
    *initial = (struct ghcomp_tool_task){.flags = ompt_task_initial, .region = &league->league,
                                         .around = league->task};
    self->task->tool = initial;
    self->team->tool = &league->league;
    GHCOMP_TOOL_CALL(implicit_task, ompt_scope_begin, &league->league.data, &initial->data, league->teams, number,
                     ompt_task_initial);
    initial->frame.exit_frame = initial->frame.enter_frame = league->task->frame.enter_frame;
    league->inner = (struct ghcomp_tool_team){.return_address = league->league.return_address,
                                              .flags = ompt_parallel_team | ompt_parallel_invoker_runtime};
    GHCOMP_TOOL_CALL(parallel_begin, &initial->data, &initial->frame, &league->inner.data, 1, league->inner.flags,
                     league->inner.return_address);
    *implicit = (struct ghcomp_tool_task){.flags = ompt_task_implicit | ompt_task_undeferred,
                                          .region = &league->inner, .around = initial};
    self->task->tool = implicit;
    self->team->tool = &league->inner;
    GHCOMP_TOOL_CALL(implicit_task, ompt_scope_begin, &league->inner.data, &implicit->data, 1, 0,
                     ompt_task_implicit);
}

void ghcomp_tool_league_team_end(struct ghcomp_member *self, struct ghcomp_tool_league *league)
{
    ghcomp_tool_task_forget(self->task);
    GHCOMP_TOOL_CALL(implicit_task, ompt_scope_end, NULL, &league->implicit.data, 1, 0, ompt_task_implicit);
    self->task->tool = &league->initial;
    self->team->tool = &league->league;
    GHCOMP_TOOL_CALL(parallel_end, &league->inner.data, &league->initial.data, league->inner.flags,
                     league->inner.return_address);
    GHCOMP_TOOL_CALL(implicit_task, ompt_scope_end, NULL, &league->initial.data, 0, league->number,
                     ompt_task_initial);
    self->task->tool = league->task;
    self->team->tool = league->team;
}

void ghcomp_tool_league_end(struct ghcomp_member *self, struct ghcomp_tool_league *league)
{
    ghcomp_tool_take(self->thread);
    GHCOMP_TOOL_CALL(parallel_end, &league->league.data, &league->task->data, league->league.flags,
                     league->league.return_address);
    league->task->frame.enter_frame.ptr = NULL;
}
