/* Events of explicit tasks for a tool. Protocol: tool.c.
 *
 * A task's record is made with the task, by the thread that makes it, and freed with it; from its start to its end it
 * is its executor's. A thread keeps some of the records that it frees for tasks that it makes.
 *
 * Called by core/task: task.c and task_depend.c (creation), taskdep*.c (dependences), task_run.c (start and end),
 * task_wait.c (taskyield), taskloop.c, task_life.c (a task's memory); and by abi/gomp/gomp_ordered.c,
 * abi/kmp/kmp_doacross.c and kmp_task_depend.c. Covered by test/ompt. */
#include "core/tool/tool_call.h"

#include <stdlib.h>

#include "base/check.h"

/* --- spare records ------------------------------------------------------------------------------------------------ */

enum { SPARES = 128 };

struct ghcomp_tool_task *ghcomp_tool_new_record(struct ghcomp_tool_thread *thread)
{
    struct ghcomp_tool_task *record = thread->spare;
    if (record == NULL) {
        record = ghcomp_alloc(sizeof *record); /* not aligned: there may be thousands, and allocating aligned memory
                                                  takes longer */
    } else {
        thread->spare = record->next_kept;
        thread->spares--;
    }
    *record = (struct ghcomp_tool_task){.frame = GHCOMP_TOOL_NO_FRAME};
    return record;
}

static void free_record(struct ghcomp_tool_task *record)
{
    const struct ghcomp_member *self = ghcomp_self_member;
    struct ghcomp_tool_thread *thread = self != NULL ? self->thread->tool : NULL;
    if (thread == NULL || thread->spares == SPARES) {
        free(record);
        return;
    }
    record->next_kept = thread->spare;
    thread->spare = record;
    thread->spares++;
}

void ghcomp_tool_spares_free(struct ghcomp_tool_thread *thread)
{
    for (struct ghcomp_tool_task *record; (record = thread->spare) != NULL;) {
        thread->spare = record->next_kept;
        free(record);
    }
}

/* --- making ------------------------------------------------------------------------------------------------------- */

void ghcomp_tool_task_new(struct ghcomp_member *self, struct ghcomp_task *task, size_t bytes, int flags)
{
    struct ghcomp_tool_thread *thread = ghcomp_tool_thread_of(self->thread);
    if (task->tool == NULL)
        task->tool = ghcomp_tool_new_record(thread);
    struct ghcomp_tool_task *record = task->tool;
    record->chunk = thread->chunk;
    thread->chunk.iterations = 0;
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
    if (flags & ompt_task_taskwait)
        record->flags &= ~ompt_task_explicit;
    record->region = parent->region;
    if (site.return_address == NULL)
        site.return_address = parent->loop.return_address; /* a task of a taskloop: the loop's address, which the record
                                                              keeps */
    ghcomp_tool_enter(parent, &site);
    parent->called = site.frame;
    GHCOMP_TOOL_CALL(task_create, &parent->data, &parent->frame, &record->data, record->flags, dependent,
                     site.return_address);
    if (!(flags & ompt_task_taskwait))
        parent->frame.enter_frame.ptr = NULL;
}

void ghcomp_tool_task_opens(struct ghcomp_task *task, bool imports, bool exports)
{
    ghcomp_tool_task_of(task)->flags |=
        (imports ? ompt_task_importing : 0) | (exports ? ompt_task_exporting : 0);
}

void ghcomp_tool_task_dependences(struct ghcomp_task *task, const ompt_dependence_t *list, int count)
{
    GHCOMP_TOOL_CALL(dependences, &ghcomp_tool_task_of(task)->data, list, count);
}

void ghcomp_tool_task_pair(struct ghcomp_tool_task *before, struct ghcomp_task *after)
{
    GHCOMP_TOOL_CALL(task_dependence, &before->data, &ghcomp_tool_task_of(after)->data);
}

void ghcomp_tool_yields(struct ghcomp_member *self)
{
    ghcomp_tool_thread_of(self->thread)->yields = true;
}

void ghcomp_tool_doacross(struct ghcomp_member *self, ompt_dependence_type_t type, uint32_t dims,
                          const uint64_t *iteration)
{
    ompt_dependence_t list[dims];
    for (uint32_t i = 0; i < dims; i++)
        list[i] = (ompt_dependence_t){{.value = iteration[i]}, type};
    ghcomp_tool_take(self->thread);
    GHCOMP_TOOL_CALL(dependences, &ghcomp_tool_current(self)->data, list, (int)dims);
}

/* --- records of dependent tasks ----------------------------------------------------------------------------------- */

/* A later task may depend on a task that has ended, and report the pair. So these records are kept on a list of the
   task that made them. Its executor frees those that are GONE when it forgets its children's dependences. Each side
   exchanges `keeping`; the second one frees. */
enum ghcomp_tool_keeping { NOT_KEPT, KEPT, GONE };

void ghcomp_tool_task_keep(struct ghcomp_member *self, struct ghcomp_task *task)
{
    struct ghcomp_tool_task *record = ghcomp_tool_task_of(task), *parent = ghcomp_tool_current(self);
    if (ghcomp_load_relaxed(&record->keeping) != NOT_KEPT)
        return;
    ghcomp_store_relaxed(&record->keeping, (uint32_t)KEPT);
    record->next_kept = parent->kept;
    parent->kept = record;
}

static void forget(struct ghcomp_tool_task *parent)
{
    struct ghcomp_tool_task *next;
    for (struct ghcomp_tool_task *record = parent->kept; record != NULL; record = next) {
        next = record->next_kept;
        if (ghcomp_xchg_acqrel(&record->keeping, (uint32_t)NOT_KEPT) == GONE)
            free_record(record);
    }
    parent->kept = NULL;
}

void ghcomp_tool_task_forget(struct ghcomp_task *parent)
{
    forget(ghcomp_tool_task_of(parent));
}

/* --- taskloop ----------------------------------------------------------------------------------------------------- */

static void report_loop(struct ghcomp_tool_task *task, ompt_scope_endpoint_t endpoint)
{
    GHCOMP_TOOL_CALL(work, ompt_work_taskloop, endpoint, ghcomp_tool_region_of(task), &task->data, task->loop.count,
                     task->loop.return_address);
}

void ghcomp_tool_taskloop_begin(struct ghcomp_member *self, uint64_t count, const void *group_address)
{
    struct ghcomp_tool_task *task = ghcomp_tool_current(self);
    task->loop = (struct ghcomp_tool_work){ompt_work_taskloop, count, ghcomp_tool_take(self->thread).return_address};
    if (task->loop.return_address == NULL)
        task->loop.return_address = group_address != NULL ? group_address : task->group_address;
    report_loop(task, ompt_scope_begin);
}

void ghcomp_tool_taskloop_end(struct ghcomp_member *self)
{
    struct ghcomp_tool_task *task = ghcomp_tool_current(self);
    report_loop(task, ompt_scope_end);
    task->loop = (struct ghcomp_tool_work){.count = 0};
}

void ghcomp_tool_taskloop_chunk(struct ghcomp_member *self, uint64_t start, uint64_t iterations)
{
    ghcomp_tool_thread_of(self->thread)->chunk = (ompt_dispatch_chunk_t){start, iterations};
}

/* --- running ------------------------------------------------------------------------------------------------------ */

static void report(struct ghcomp_tool_task *prior, ompt_task_status_t status, struct ghcomp_tool_task *next)
{
    GHCOMP_TOOL_CALL(task_schedule, &prior->data, status, next != NULL ? &next->data : NULL);
}

void ghcomp_tool_task_start(struct ghcomp_member *self, struct ghcomp_task *prior, struct ghcomp_task *next)
{
    struct ghcomp_tool_task *from = ghcomp_tool_task_of(prior), *to = ghcomp_tool_task_of(next);
    struct ghcomp_tool_thread *thread = ghcomp_tool_thread_of(self->thread);
    bool yields = thread->yields;
    thread->yields = false;
    to->around = from;
    to->thread_num = self->tid;
    if (to->flags & ompt_task_taskwait)
        return; /* the task has no code, and its thread stays in the task that waits for it */
    to->started = true;
    to->state_before = thread->state;
    thread->state = self->team->level == 0 ? ompt_state_work_serial : ompt_state_work_parallel;
    if (from->frame.enter_frame.ptr == NULL) {
        from->frame.enter_frame.ptr = from->called; /* the construct that makes the task also runs it */
        to->lends = true;
    }
    report(from, yields ? ompt_task_yield : ompt_task_switch, to);
    if (to->chunk.iterations != 0)
        ghcomp_tool_chunk(to, ompt_dispatch_taskloop_chunk, to->chunk.start, to->chunk.iterations);
}

void ghcomp_tool_task_finish(struct ghcomp_member *self, struct ghcomp_task *task, struct ghcomp_task *next,
                             ompt_task_status_t status)
{
    struct ghcomp_tool_task *from = ghcomp_tool_task_of(task);
    if (!from->started && !(from->flags & ompt_task_taskwait))
        return; /* record created late (tool_filter.c) */
    struct ghcomp_tool_task *to = ghcomp_tool_task_of(next);
    from->frame.exit_frame.ptr = NULL;
    if (from->lends)
        to->frame.enter_frame.ptr = NULL;
    if (from->started)
        ghcomp_tool_thread_of(self->thread)->state = from->state_before;
    from->started = false;
    if (from->flags & ompt_task_taskwait) {
        to->frame.enter_frame.ptr = NULL;
        status = ompt_taskwait_complete;
    }
    report(from, from->cancelled && status == ompt_task_complete ? ompt_task_cancel : status, to);
}

void ghcomp_tool_task_fulfilled(struct ghcomp_task *task, ompt_task_status_t status)
{
    if (task->tool != NULL)
        report(task->tool, status, NULL);
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
    struct ghcomp_tool_task *record = task->tool;
    task->tool = NULL;
    if (record == NULL)
        return;
    forget(record);
    if (ghcomp_xchg_acqrel(&record->keeping, (uint32_t)GONE) == NOT_KEPT)
        free_record(record);
}
