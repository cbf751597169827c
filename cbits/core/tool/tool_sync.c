/* Events of synchronization for a tool: barriers, taskwait, taskgroup, locks. Protocol: tool.c. Called by
 * core/sync/barrier.c, core/team/team.c, core/task, abi/observed/lock.h and lock_calls.h, and by ordered regions
 * (abi/gomp/gomp_ordered.c, abi/kmp/kmp_ordered.c, abi/observed/ordered.h). Covered by test/ompt. */
#include "core/sync/task_team.h"
#include "core/tool/tool_call.h"
#include "core/tool/tool_filter.h"

/* --- regions of synchronization ----------------------------------------------------------------------------------- */

static ompt_state_t state_of(int kind)
{
    switch (kind) {
    case ompt_sync_region_barrier_implicit_parallel:
        return ompt_state_wait_barrier_implicit_parallel;
    case ompt_sync_region_barrier_implicit_workshare:
        return ompt_state_wait_barrier_implicit_workshare;
    case ompt_sync_region_barrier_explicit:
        return ompt_state_wait_barrier_explicit;
    case ompt_sync_region_barrier_implementation:
        return ompt_state_wait_barrier_implementation;
    case ompt_sync_region_taskwait:
        return ompt_state_wait_taskwait;
    case ompt_sync_region_taskgroup:
        return ompt_state_wait_taskgroup;
    default:
        return ompt_state_wait_barrier;
    }
}

static void report(const struct ghcomp_tool_sync *sync, ompt_scope_endpoint_t endpoint, ompt_data_t *region)
{
    GHCOMP_TOOL_CALL(sync_region, sync->kind, endpoint, region, &sync->task->data, sync->return_address);
}

static void report_wait(const struct ghcomp_tool_sync *sync, ompt_scope_endpoint_t endpoint, ompt_data_t *region)
{
    GHCOMP_TOOL_CALL_AS(sync_region_wait, ompt_callback_sync_region_t, sync->kind, endpoint, region,
                        &sync->task->data, sync->return_address);
}

/* Whether a wait begins at once for a tool with a filter. Normally it begins when there is no task to run
   (ghcomp_tool_idles). Only the wait at a region's end begins before the member arrives, because the region may be over
   after that; in a team of one only if there are tasks. */
static bool waits_at_once(struct ghcomp_member *self, ompt_sync_region_t kind)
{
    return kind == ompt_sync_region_barrier_implicit_parallel &&
           (self->team->size > 1 || ghcomp_task_team_pending(self));
}

static void begin_wait(struct ghcomp_member *self, struct ghcomp_tool_sync *sync)
{
    struct ghcomp_tool_thread *thread = ghcomp_tool_thread_of(self->thread);
    sync->state_before = thread->state;
    thread->state = state_of(sync->kind);
    sync->outer = thread->wait;
    thread->wait = sync;
    sync->open = !ghcomp_tool_filters() || waits_at_once(self, sync->kind);
    if (sync->open)
        report_wait(sync, ompt_scope_begin, ghcomp_tool_region_of(sync->task));
}

static void end_wait(struct ghcomp_member *self, struct ghcomp_tool_sync *sync)
{
    struct ghcomp_tool_thread *thread = ghcomp_tool_thread_of(self->thread);
    if (sync->open)
        report_wait(sync, ompt_scope_end, ghcomp_tool_region_of(sync->task));
    thread->wait = sync->outer;
    thread->state = sync->state_before;
}

static void begin_late(struct ghcomp_member *self, struct ghcomp_tool_sync *wait)
{
    struct ghcomp_tool_site site = {wait->return_address, wait->frame, 0};
    wait->task = ghcomp_tool_current(self);
    ghcomp_tool_enter(wait->task, &site);
    report(wait, ompt_scope_begin, ghcomp_tool_region_of(wait->task));
}

/* Begins the wait that the thread is in, for a tool with a filter, when the thread finds neither a task nor the wait's
   end; the wait ends when there is a task, since running tasks is not waiting. So no task needs an event, and the tool
   gets the times for which threads were idle. A barrier's wait begins after the member has arrived, so that the report
   delays no other member. Before the wait begins, the taskwait or taskgroup of a filtered task has neither a sync
   region nor a record of the task. */
void ghcomp_tool_idles(struct ghcomp_member *self)
{
    struct ghcomp_tool_thread *thread = self->thread->tool;
    struct ghcomp_tool_sync *wait = thread != NULL ? thread->wait : NULL;
    if (wait == NULL || wait->open)
        return;
    if (wait->task == NULL)
        begin_late(self, wait);
    wait->open = true;
    report_wait(wait, ompt_scope_begin, ghcomp_tool_region_of(wait->task));
}

void ghcomp_tool_wait_stops(struct ghcomp_member *self, struct ghcomp_tool_sync *wait)
{
    struct ghcomp_tool_thread *thread = ghcomp_tool_thread_of(self->thread);
    if (wait->open)
        report_wait(wait, ompt_scope_end, ghcomp_tool_region_of(wait->task));
    wait->open = false;
    thread->wait = NULL;
    thread->state = self->team->level == 0 ? ompt_state_work_serial : ompt_state_work_parallel;
}

void ghcomp_tool_waits_on(struct ghcomp_member *self, struct ghcomp_tool_sync *wait)
{
    struct ghcomp_tool_thread *thread = ghcomp_tool_thread_of(self->thread);
    thread->wait = wait;
    thread->state = state_of(wait->kind);
}

void ghcomp_tool_sync_begin(struct ghcomp_member *self, struct ghcomp_tool_sync *sync, int kind)
{
    struct ghcomp_tool_site site = ghcomp_tool_take(self->thread);
    sync->task = ghcomp_tool_current(self);
    sync->kind = (ompt_sync_region_t)(kind != 0        ? kind
                                      : site.what != 0 ? site.what
                                                       : ompt_sync_region_barrier_implementation);
    sync->return_address = site.return_address;
    /* A barrier ends the construct that it belongs to. gcc's code reports the construct's end only after the barrier,
       or never: a single region of GCC 16 has no call at its end. */
    if (sync->kind != ompt_sync_region_taskwait && sync->kind != ompt_sync_region_taskgroup &&
        sync->task->work.kind != 0)
        ghcomp_tool_work_end(self);
    ghcomp_tool_enter(sync->task, &site);
    report(sync, ompt_scope_begin, ghcomp_tool_region_of(sync->task));
    begin_wait(self, sync);
}

void ghcomp_tool_sync_pause(struct ghcomp_member *self, struct ghcomp_tool_sync *sync)
{
    end_wait(self, sync);
    sync->task->frame.enter_frame.ptr = NULL;
}

void ghcomp_tool_filtered_wait_begin(struct ghcomp_member *self, struct ghcomp_tool_filtered_wait *wait)
{
    struct ghcomp_tool_thread *thread = ghcomp_tool_thread_of(self->thread);
    struct ghcomp_tool_sync *sync = &wait->sync;
    wait->began = true;
    sync->task = NULL;
    sync->open = false;
    sync->state_before = thread->state;
    sync->outer = thread->wait;
    thread->state = state_of(sync->kind);
    thread->wait = sync;
}

void ghcomp_tool_sync_end(struct ghcomp_member *self, struct ghcomp_tool_sync *sync)
{
    end_wait(self, sync);
    if (sync->task == NULL)
        return;
    report(sync, ompt_scope_end, ghcomp_tool_region_of(sync->task));
    sync->task->frame.enter_frame.ptr = NULL;
}

void ghcomp_tool_join_begin(struct ghcomp_member *self, struct ghcomp_tool_sync *sync)
{
    sync->task = ghcomp_tool_task_of(&self->implicit);
    sync->kind = ompt_sync_region_barrier_implicit_parallel;
    /* Only the master's code has called the runtime; workers are called by it, so they have no return address. */
    sync->return_address = self->tid == 0 ? ghcomp_tool_team_of(self->team)->return_address : NULL;
    report(sync, ompt_scope_begin, ghcomp_tool_region_of(sync->task));
    begin_wait(self, sync);
}

void ghcomp_tool_join_end(struct ghcomp_member *self, struct ghcomp_tool_sync *sync)
{
    /* Reported even without an open wait if there are other members, because it marks the region's end. */
    if (sync->open || self->team->size > 1)
        report_wait(sync, ompt_scope_end, NULL);
    ghcomp_tool_thread_of(self->thread)->wait = sync->outer;
    report(sync, ompt_scope_end, NULL);
}

void ghcomp_tool_group_begin(struct ghcomp_member *self)
{
    struct ghcomp_tool_site site = ghcomp_tool_take(self->thread);
    struct ghcomp_tool_sync sync = {.task = ghcomp_tool_current(self), .kind = ompt_sync_region_taskgroup,
                                    .return_address = site.return_address};
    sync.task->group_address = site.return_address;
    report(&sync, ompt_scope_begin, ghcomp_tool_region_of(sync.task));
}

void ghcomp_tool_group_wait(struct ghcomp_member *self, struct ghcomp_tool_sync *sync)
{
    struct ghcomp_tool_site site = ghcomp_tool_take(self->thread);
    sync->task = ghcomp_tool_current(self);
    sync->kind = ompt_sync_region_taskgroup;
    sync->return_address = site.return_address;
    ghcomp_tool_enter(sync->task, &site);
    begin_wait(self, sync);
}

void ghcomp_tool_group_end(struct ghcomp_member *self, struct ghcomp_tool_sync *sync)
{
    ghcomp_tool_sync_end(self, sync);
}

/* --- mutual exclusion --------------------------------------------------------------------------------------------- */

/* The only kind of lock, by its number in ompt_enumerate_mutex_impls. */
enum { FUTEX = 1 };

static ompt_wait_id_t id_of(const void *lock)
{
    return (ompt_wait_id_t)(uintptr_t)lock;
}

void ghcomp_tool_mutex_wait(ompt_mutex_t kind, unsigned hint, const void *lock)
{
    struct ghcomp_member *self = ghcomp_self();
    struct ghcomp_tool_thread *thread = ghcomp_tool_thread_of(self->thread);
    ghcomp_tool_current(self); /* makes the record of a member of a filtered region (tool_filter_region.c) */
    thread->state = kind == ompt_mutex_critical  ? ompt_state_wait_critical
                    : kind == ompt_mutex_atomic  ? ompt_state_wait_atomic
                    : kind == ompt_mutex_ordered ? ompt_state_wait_ordered
                                                 : ompt_state_wait_lock;
    thread->wait_id = id_of(lock);
    GHCOMP_TOOL_CALL(mutex_acquire, kind, hint, FUTEX, id_of(lock), thread->site.return_address);
}

void ghcomp_tool_mutex_missed(void)
{
    struct ghcomp_member *self = ghcomp_self();
    struct ghcomp_tool_thread *thread = ghcomp_tool_thread_of(self->thread);
    ghcomp_tool_take(self->thread);
    thread->wait_id = 0;
    thread->state = self->team->level == 0 ? ompt_state_work_serial : ompt_state_work_parallel;
}

void ghcomp_tool_mutex_taken(ompt_mutex_t kind, const void *lock)
{
    const void *return_address = ghcomp_tool_thread_of(ghcomp_self()->thread)->site.return_address;
    ghcomp_tool_mutex_missed();
    GHCOMP_TOOL_CALL_AS(mutex_acquired, ompt_callback_mutex_t, kind, id_of(lock), return_address);
}

void ghcomp_tool_mutex_given(ompt_mutex_t kind, const void *lock)
{
    struct ghcomp_tool_site site = ghcomp_tool_take(ghcomp_self()->thread);
    GHCOMP_TOOL_CALL_AS(mutex_released, ompt_callback_mutex_t, kind, id_of(lock), site.return_address);
}

void ghcomp_tool_nest(ompt_scope_endpoint_t endpoint, const void *lock)
{
    const void *return_address = ghcomp_tool_thread_of(ghcomp_self()->thread)->site.return_address;
    ghcomp_tool_mutex_missed();
    GHCOMP_TOOL_CALL(nest_lock, endpoint, id_of(lock), return_address);
}

void ghcomp_tool_lock_init(ompt_mutex_t kind, unsigned hint, const void *lock)
{
    struct ghcomp_tool_site site = ghcomp_tool_take(ghcomp_self()->thread);
    GHCOMP_TOOL_CALL_AS(lock_init, ompt_callback_mutex_acquire_t, kind, hint, FUTEX, id_of(lock),
                        site.return_address);
}

void ghcomp_tool_lock_destroy(ompt_mutex_t kind, const void *lock)
{
    struct ghcomp_tool_site site = ghcomp_tool_take(ghcomp_self()->thread);
    GHCOMP_TOOL_CALL_AS(lock_destroy, ompt_callback_mutex_t, kind, id_of(lock), site.return_address);
}
