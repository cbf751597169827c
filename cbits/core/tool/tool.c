/* Events of threads and regions for a tool, and what the other tool_*.c share: the records of threads, teams and
 * implicit tasks with their frames.
 *
 * Calls. A process has one tool at most (tool_load.c). While it is registered, ghcomp_observers has
 * GHCOMP_OBSERVE_TOOL, and the runtime's hooks call the functions of tool.h, each on the thread whose event it is. A
 * callback is a word that the tool may change at any time; each event reads it once (load_acquire, pairs with the
 * store_release of ghcomp_tool_set_callback).
 *
 * Records. Threads, teams and tasks have a pointer to their record for the tool: the tool's own word, frames,
 * addresses. A record is made at the first event that needs it, so every hook finds one. Those of threads, teams and
 * implicit tasks stay with their structs and are used again; that of an explicit task goes with it.
 *
 * Sites. An entry of the ABI stores its return address and its canonical frame address in the thread's record (a site),
 * and the first hook that it reaches takes both. So the core need not pass them on. A hook that is reached without such
 * an entry (in a Haskell body) has no site.
 *
 * The end of a region. Without a tool workers answer the master and do not touch the region again. With one, all
 * members first wait in a barrier, whose begin and end they report: so a tool sees how long each waited, and every
 * event of a region comes before that of its end. In the child of fork() a region's other members are gone, so there is
 * no barrier.
 *
 * Called by core/{sync,task,team} and abi. Covered by test/ompt.
 */
#include "core/tool/tool_call.h"
#include "core/tool/tool_filter.h"

#include <stdlib.h>

#include "base/check.h"

/* --- records ------------------------------------------------------------------------------------------------------ */

struct ghcomp_tool_thread *ghcomp_tool_make_thread(struct ghcomp_thread *thread)
{
    return thread->tool = ghcomp_alloc_lines(sizeof *thread->tool);
}

struct ghcomp_tool_task *ghcomp_tool_make_task(struct ghcomp_task *task)
{
    struct ghcomp_member *self = ghcomp_self();
    if (task->home != NULL)
        return ghcomp_tool_late_record(self, task);
    if (task == &self->implicit && self->team->filtered)
        return ghcomp_tool_late_member(self);
    /* A filtered region has given the member's record back. */
    struct ghcomp_tool_thread *thread = ghcomp_tool_thread_of(self->thread);
    return task->tool = thread->spare != NULL ? ghcomp_tool_new_record(thread) : ghcomp_alloc_lines(sizeof *task->tool);
}

struct ghcomp_tool_team *ghcomp_tool_make_team(struct ghcomp_team *team)
{
    return team->tool = ghcomp_alloc_zeroed(sizeof *team->tool);
}

struct ghcomp_tool_task *ghcomp_tool_current(struct ghcomp_member *self)
{
    return ghcomp_tool_task_of(self->task);
}

void ghcomp_tool_free(struct ghcomp_thread *thread)
{
    if (thread->tool != NULL)
        ghcomp_tool_spares_free(thread->tool);
    free(thread->tool);
    free(thread->self.implicit.tool);
    thread->tool = NULL;
    thread->self.implicit.tool = NULL;
}

/* --- call sites --------------------------------------------------------------------------------------------------- */

void ghcomp_tool_note(const void *return_address, void *frame, int what)
{
    struct ghcomp_member *self = ghcomp_self(); /* this may start the tool, or remove the observer's bit if there is no
                                                   tool */
    if (ghcomp_tool_on())
        ghcomp_tool_thread_of(self->thread)->site = (struct ghcomp_tool_site){return_address, frame, what};
}

struct ghcomp_tool_site ghcomp_tool_take(struct ghcomp_thread *thread)
{
    struct ghcomp_tool_thread *tool = ghcomp_tool_thread_of(thread);
    const void *return_address = tool->site.return_address;
    void *frame = tool->site.frame;
    /* Keeps two loads: a single load of both words would have to wait until the two stores of ghcomp_tool_note have
       reached the cache. */
    __asm__("" : "+r"(return_address), "+r"(frame));
    int what = tool->site.what;
    tool->site = (struct ghcomp_tool_site){NULL, NULL, 0};
    return (struct ghcomp_tool_site){return_address, frame, what};
}

const void *ghcomp_tool_thread_site(struct ghcomp_member *self)
{
    return ghcomp_tool_thread_of(self->thread)->site.return_address;
}

void ghcomp_tool_enter(struct ghcomp_tool_task *task, const struct ghcomp_tool_site *site)
{
    task->frame.enter_frame.ptr = site->frame;
    task->frame.enter_frame_flags = GHCOMP_TOOL_FRAME;
}

void ghcomp_tool_call(void (*fn)(void *), void *data)
{
    struct ghcomp_tool_task *task = ghcomp_tool_current(ghcomp_self());
    task->frame.exit_frame.ptr = __builtin_frame_address(0);
    task->frame.exit_frame_flags = GHCOMP_TOOL_FRAME;
    fn(data);
    __asm__ volatile("" ::: "memory"); /* prevents a tail call: the tool has the address of this frame */
}

void ghcomp_tool_runs_in(struct ghcomp_member *self, void *frame)
{
    struct ghcomp_tool_task *task = ghcomp_tool_current(self);
    task->frame.exit_frame.ptr = frame;
    task->frame.exit_frame_flags = GHCOMP_TOOL_FRAME_OF_PROGRAM;
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

void ghcomp_tool_thread_begin(struct ghcomp_thread *thread, ompt_thread_t kind)
{
    struct ghcomp_tool_thread *tool = ghcomp_tool_thread_of(thread);
    tool->state = kind == ompt_thread_initial ? ompt_state_overhead : ompt_state_idle;
    tool->begun = true;
    GHCOMP_TOOL_CALL(thread_begin, kind, &tool->data);
}

void ghcomp_tool_thread_end(struct ghcomp_thread *thread)
{
    struct ghcomp_tool_thread *tool = thread->tool;
    if (tool == NULL || !tool->begun)
        return;
    tool->begun = false;
    GHCOMP_TOOL_CALL(thread_end, &tool->data);
}

void ghcomp_tool_initial_begin(struct ghcomp_member *self)
{
    struct ghcomp_tool_task *task = ghcomp_tool_task_of(&self->implicit);
    struct ghcomp_tool_team *team = ghcomp_tool_team_of(self->team);
    *task = (struct ghcomp_tool_task){.frame = GHCOMP_TOOL_NO_FRAME, .flags = ompt_task_initial, .region = team};
    *team = (struct ghcomp_tool_team){.flags = 0};
    GHCOMP_TOOL_CALL(implicit_task, ompt_scope_begin, &team->data, &task->data, 1, 1, ompt_task_initial);
    ghcomp_tool_thread_of(self->thread)->state = ompt_state_work_serial;
}

void ghcomp_tool_initial_end(struct ghcomp_member *self)
{
    struct ghcomp_tool_task *task = ghcomp_tool_task_of(&self->implicit);
    GHCOMP_TOOL_CALL(implicit_task, ompt_scope_end, NULL, &task->data, 0, 1, ompt_task_initial);
}

/* --- regions ------------------------------------------------------------------------------------------------------ */

void ghcomp_tool_parallel_begin(struct ghcomp_member *self, struct ghcomp_team *team, uint32_t requested)
{
    struct ghcomp_tool_site site = ghcomp_tool_take(self->thread);
    struct ghcomp_tool_task *task = ghcomp_tool_current(self);
    struct ghcomp_tool_team *region = ghcomp_tool_team_of(team);
    int invoker = site.what != 0 ? site.what : ompt_parallel_invoker_runtime;
    *region = (struct ghcomp_tool_team){.return_address = site.return_address, .flags = ompt_parallel_team | invoker};
    ghcomp_tool_enter(task, &site);
    GHCOMP_TOOL_CALL(parallel_begin, &task->data, &task->frame, &region->data, requested, region->flags,
                     region->return_address);
}

void ghcomp_tool_parallel_end(struct ghcomp_member *self, struct ghcomp_team *team)
{
    struct ghcomp_tool_task *task = ghcomp_tool_current(self);
    struct ghcomp_tool_team *region = ghcomp_tool_team_of(team);
    ghcomp_tool_take(self->thread);
    GHCOMP_TOOL_CALL(parallel_end, &region->data, &task->data, region->flags, region->return_address);
    task->frame.enter_frame.ptr = NULL;
    ghcomp_tool_thread_of(self->thread)->state =
        self->team->level == 0 ? ompt_state_work_serial : ompt_state_work_parallel;
}

void ghcomp_tool_report_implicit_begin(struct ghcomp_member *self)
{
    struct ghcomp_team *team = self->team;
    struct ghcomp_tool_task *task = ghcomp_tool_task_of(&self->implicit);
    struct ghcomp_tool_team *region = ghcomp_tool_team_of(team);
    /* Set field by field: fields of explicit tasks were never set, and clearing the whole record would be a string
       instruction, which takes longer than the rest of this function. */
    task->data = (ompt_data_t){.value = 0};
    task->frame = GHCOMP_TOOL_NO_FRAME;
    task->flags = ompt_task_implicit | ompt_task_undeferred;
    task->called = NULL;
    task->thread_num = self->tid;
    task->region = region;
    task->around = team->parent_task->tool;
    task->work = task->loop = (struct ghcomp_tool_work){.count = 0};
    task->group_address = NULL;
    if (self->tid == 0 && (region->flags & ompt_parallel_invoker_program) && task->around != NULL)
        task->frame.exit_frame = task->around->frame.enter_frame; /* the region's code is the caller's own */
    GHCOMP_TOOL_CALL(implicit_task, ompt_scope_begin, &region->data, &task->data, team->size, self->tid,
                     ompt_task_implicit);
}

void ghcomp_tool_implicit_begin(struct ghcomp_member *self)
{
    ghcomp_tool_thread_of(self->thread)->state = ompt_state_work_parallel;
    ghcomp_tool_report_implicit_begin(self);
}

void ghcomp_tool_implicit_end(struct ghcomp_member *self)
{
    struct ghcomp_tool_task *task = ghcomp_tool_task_of(&self->implicit);
    GHCOMP_TOOL_CALL(implicit_task, ompt_scope_end, NULL, &task->data, self->team->size, self->tid,
                     ompt_task_implicit);
    ghcomp_tool_thread_of(self->thread)->state = self->tid == 0 ? ompt_state_overhead : ompt_state_idle;
}

/* Prepares the implicit task of a free agent's seat. It has no events of its own; in the events of the agent's tasks
   its record represents the enclosing task, with the region and without data. */
void ghcomp_tool_agent_begin(struct ghcomp_member *self)
{
    struct ghcomp_tool_task *task = ghcomp_tool_task_of(&self->implicit);
    const struct ghcomp_task *around = self->team->parent_task;
    *task = (struct ghcomp_tool_task){.flags = ompt_task_implicit | ompt_task_undeferred,
                                      .region = ghcomp_tool_team_of(self->team),
                                      .thread_num = self->tid,
                                      .around = around != NULL ? around->tool : NULL};
    ghcomp_tool_thread_of(self->thread)->state = ompt_state_overhead;
}

void ghcomp_tool_agent_end(struct ghcomp_member *self)
{
    ghcomp_tool_thread_of(self->thread)->state = ompt_state_idle;
}

void ghcomp_tool_part_end(struct ghcomp_member *self)
{
    struct ghcomp_tool_task *task = ghcomp_tool_task_of(&self->implicit);
    ghcomp_tool_take(self->thread);
    if (task->work.kind != 0)
        ghcomp_tool_work_end(self);
    task->frame.exit_frame.ptr = task->frame.enter_frame.ptr = NULL;
}

/* --- the rest ----------------------------------------------------------------------------------------------------- */

void ghcomp_tool_flush(struct ghcomp_member *self)
{
    struct ghcomp_tool_site site = ghcomp_tool_take(self->thread);
    GHCOMP_TOOL_CALL(flush, &ghcomp_tool_thread_of(self->thread)->data, site.return_address);
}

void ghcomp_tool_cancel(struct ghcomp_member *self, int flags)
{
    struct ghcomp_tool_site site = ghcomp_tool_take(self->thread);
    GHCOMP_TOOL_CALL(cancel, &ghcomp_tool_current(self)->data, flags, site.return_address);
}

void ghcomp_tool_error(ompt_severity_t severity, const char *message, size_t length)
{
    struct ghcomp_tool_site site = ghcomp_tool_take(ghcomp_self()->thread);
    GHCOMP_TOOL_CALL(error, severity, message, length, site.return_address);
}

/* Returns a new number. A thread with a record has its own range, as on libomp, so threads that ask often share no
   cache line. All others share the range of small numbers. Signal handlers may call it. */
uint64_t ghcomp_tool_unique(void)
{
    enum { RANGE_BITS = 40 };
    static _Atomic uint64_t ranges, others; /* atomic(relaxed): only the numbers differ */
    const struct ghcomp_member *self = ghcomp_self_member;
    if (self == NULL || self->thread->tool == NULL)
        return ghcomp_add_relaxed(&others, 1u) + 1;
    _Atomic uint64_t *last = &self->thread->tool->last_unique;
    if (ghcomp_load_relaxed(last) == 0)
        ghcomp_store_relaxed(last, (ghcomp_add_relaxed(&ranges, 1u) + 1) << RANGE_BITS);
    return ghcomp_add_relaxed(last, 1u) + 1;
}
