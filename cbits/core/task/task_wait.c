/* Waiting for tasks while running others: taskwait, the end of a taskgroup, taskyield, a task that waits for its
 * dependences; and producers that have too many unfinished tasks with dependences, or for other threads than the
 * team's.
 *
 * A *pending count* says how many tasks are waited for: `due`, which the waiting thread changes itself when it runs one
 * of them, less what other threads add to `reported` (number << 1). Before the waiter sleeps on its team's eventcount
 * it sets bit 0 of `reported`; a thread that then adds to `reported` (add_acqrel, task_run.c) sees the bit and notifies
 * the eventcount. The waiter sees an earlier report when it checks again after setting the bit.
 *
 * Called by abi/gomp/gomp_task.c, taskgroup.c, task.c, haskell/task.c. Covered by test/unit/{task,pause}.c and
 * test/conformance/{taskwait,taskgroup}.
 */
#include "core/cpu/wait.h"
#include "core/sync/eventcount.h"
#include "core/sync/seats.h"
#include "core/sync/task_team.h"
#include "core/task/task.h"
#include "core/task/task_graph.h"
#include "core/task/taskdep.h"
#include "core/task/taskgroup.h"
#include "core/tool/tool.h"
#include "core/tsan/races.h"

/* Takes a descendant of the current task; in a transparent one else a task that comes before it. */
static inline struct ghcomp_task *take(struct ghcomp_member *self)
{
    struct ghcomp_task *task = ghcomp_task_take_descendant(self);
    if (task == NULL && ghcomp_unlikely(self->task->table != NULL) && ghcomp_depend_transparent(self->task))
        task = ghcomp_task_take_before(self);
    return task;
}

/* False: `pause`, when there is one, has a task for the caller to run. `filtered` is for a filtered task's wait, or
   NULL. */
static inline bool wait_pending(struct ghcomp_member *self, const uint32_t *due, _Atomic uint32_t *reported,
                                struct ghcomp_wait_pause *pause, struct ghcomp_tool_filtered_wait *filtered)
{
    struct ghcomp_team *team = self->team;
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_TEAM);
    struct ghcomp_eventcount_wait sleep = {0};
    for (;;) {
        uint32_t eventcount = ghcomp_load_acquire(&team->barrier.eventcount);
        uint32_t reports = ghcomp_load_acquire(reported);
        if (ghcomp_pending_empty(due, reports))
            break;
        struct ghcomp_task *task = take(self);
        if (pause != NULL && task != NULL && task->fn == pause->fn) {
            pause->task = task;
            break;
        }
        if (task != NULL)
            ghcomp_task_stack_note(self);
        else if (filtered != NULL && !filtered->began)
            ghcomp_tool_filtered_wait_begin(self, filtered);
        if (ghcomp_task_run_if_any(self, task, false, &spin)) {
            sleep.announced = false;
            continue;
        }
        if (ghcomp_eventcount_spin_again(&spin, &sleep))
            continue;
        /* A thread that reports from now on sees this bit and notifies; the check above runs again and sees an earlier
           report. */
        if (!(reports & 1u))
            ghcomp_or_acqrel(reported, 1u);
        else if (ghcomp_eventcount_sleep(self, team, eventcount, &sleep))
            ghcomp_task_team_woken(self, team);
    }
    ghcomp_task_team_wait_end(self);
    if (ghcomp_load_relaxed(reported) & 1u)
        ghcomp_and_relaxed(reported, ~1u);
    return pause == NULL || pause->task == NULL;
}

static __attribute__((noinline)) void wait_pending_slow(struct ghcomp_member *self, const uint32_t *due,
                                                        _Atomic uint32_t *reported)
{
    wait_pending(self, due, reported, NULL, NULL);
}

void ghcomp_pending_wait(struct ghcomp_member *self, const uint32_t *due, _Atomic uint32_t *reported)
{
    if (!ghcomp_pending_empty(due, ghcomp_load_acquire(reported)))
        wait_pending_slow(self, due, reported);
}

void ghcomp_pending_wait_filtered(struct ghcomp_member *self, const uint32_t *due, _Atomic uint32_t *reported,
                                  struct ghcomp_tool_filtered_wait *filtered)
{
    if (!ghcomp_pending_empty(due, ghcomp_load_acquire(reported)))
        wait_pending(self, due, reported, NULL, filtered);
}

bool ghcomp_pending_wait_paused(struct ghcomp_member *self, const uint32_t *due, _Atomic uint32_t *reported,
                                struct ghcomp_wait_pause *pause)
{
    pause->task = NULL;
    return wait_pending(self, due, reported, pause, NULL);
}

static void waited(struct ghcomp_task *task)
{
    ghcomp_races_acquire(ghcomp_observers_now(), ghcomp_races_children(task));
    if (ghcomp_unlikely(task->table != NULL))
        ghcomp_depend_waited(task);
}

static inline void wait_for_children(struct ghcomp_member *self)
{
    struct ghcomp_task *task = self->task;
    ghcomp_pending_wait(self, &task->due, &task->reported);
    waited(task);
}

static __attribute__((noinline, cold)) void wait_observed(struct ghcomp_member *self, uint32_t observers)
{
    struct ghcomp_tool_sync sync;
    if (observers & GHCOMP_OBSERVE_TOOL)
        ghcomp_tool_sync_begin(self, &sync, ompt_sync_region_taskwait);
    wait_for_children(self);
    if (observers & GHCOMP_OBSERVE_TOOL)
        ghcomp_tool_sync_end(self, &sync);
    ghcomp_graph_waited(self);
}

/* Not inlined, and called by a jump: so the taskwait of a task without children saves no registers. */
static __attribute__((noinline)) void wait_for_some(struct ghcomp_member *self,
                                                    struct ghcomp_tool_filtered_wait *filtered)
{
    struct ghcomp_task *task = self->task;
    wait_pending(self, &task->due, &task->reported, NULL, filtered);
    if (ghcomp_unlikely(task->table != NULL))
        ghcomp_depend_waited(task);
}

void ghcomp_task_wait_fast(struct ghcomp_member *self)
{
    struct ghcomp_task *task = self->task;
    if (!ghcomp_task_waits_for_none(task))
        wait_for_some(self, NULL);
    else if (ghcomp_unlikely(task->table != NULL))
        ghcomp_depend_waited(task);
}

void ghcomp_task_wait_filtered(struct ghcomp_member *self, const void *return_address, void *frame)
{
    struct ghcomp_tool_filtered_wait filtered;
    ghcomp_tool_filtered_wait_prepare(&filtered, ompt_sync_region_taskwait, return_address, frame);
    wait_for_some(self, &filtered);
    if (filtered.began)
        ghcomp_tool_sync_end(self, &filtered.sync);
    if (ghcomp_graph_records(self))
        ghcomp_graph_waited(self);
}

void ghcomp_task_wait(struct ghcomp_member *self)
{
    uint32_t observers = ghcomp_observers_now();
    if (ghcomp_observed(observers))
        wait_observed(self, observers);
    else
        ghcomp_task_wait_fast(self);
}

bool ghcomp_task_wait_paused(struct ghcomp_member *self, struct ghcomp_wait_pause *pause)
{
    struct ghcomp_task *task = self->task;
    if (!ghcomp_pending_wait_paused(self, &task->due, &task->reported, pause))
        return false;
    waited(task);
    return true;
}

static void nothing(void *data)
{
    (void)data;
}

static __attribute__((noinline)) void report_wait(struct ghcomp_member *self, struct ghcomp_task *task,
                                                  void **depend)
{
    task->traits |= GHCOMP_TASK_DEPENDENT;
    ghcomp_task_report_create(self, task, ompt_task_taskwait | ompt_task_mergeable);
    ghcomp_depend_report(task, depend);
}

void ghcomp_task_wait_depend(struct ghcomp_member *self, void **depend)
{
    /* An undeferred task without a body; without a table there is nothing to depend on. */
    if (self->task->table == NULL && !ghcomp_tool_on() && !ghcomp_graph_records(self))
        return;
    struct ghcomp_task *task = ghcomp_task_new(self, nothing, 0, 0, 0);
    ghcomp_task_undefer(task);
    task->traits |= GHCOMP_TASK_IN_ORDER; /* it waits for all tasks of a mutexinoutset */
    if (ghcomp_tool_on())
        report_wait(self, task, depend);
    ghcomp_task_depend(self, task, depend);
    ghcomp_task_submit(self, task);
}

void ghcomp_task_wait_depend_nowait(struct ghcomp_member *self, void **depend, bool in_order)
{
    struct ghcomp_task *task = ghcomp_task_new(self, nothing, 0, 0, 0);
    if (in_order)
        task->traits |= GHCOMP_TASK_IN_ORDER;
    if (ghcomp_tool_on())
        report_wait(self, task, depend);
    ghcomp_task_depend(self, task, depend);
    ghcomp_task_submit(self, task);
}

/* A loop of taskyields waits for another thread, which may lack a CPU; a single one costs no system call. */
void ghcomp_task_yield_cpu(struct ghcomp_member *self)
{
    enum { BETWEEN_YIELDS = 16 };
    if (++self->empty_yields % BETWEEN_YIELDS == 0 && ghcomp_cpu_load_oversubscribed())
        ghcomp_os_yield();
}

/* A task whose `living` is 0 has no descendants, so it does not search for any. */
void ghcomp_task_yield(struct ghcomp_member *self)
{
    struct ghcomp_task *task = self->task->living == 0 ? NULL : ghcomp_task_take_descendant(self);
    if (task != NULL) {
        if (ghcomp_tool_on() && !ghcomp_task_starts_unreported(self, task))
            ghcomp_tool_yields(self);
        ghcomp_task_run(self, task);
    } else {
        ghcomp_task_yield_cpu(self);
    }
}

/* Past the limit the producer runs ready tasks itself, and waits while other threads complete some. It never waits for
   tasks that no thread completes: those may need what the producer does next (an event, say). */
void ghcomp_task_throttle_slow(struct ghcomp_member *self)
{
    enum { WAIT_TICKS = 10 * GHCOMP_TICKS_PER_US, LEFT_ALONE = 64 };
    struct ghcomp_task *parent = self->task;
    uint32_t reported;
    if (ghcomp_unlikely(!ghcomp_settings.task_throttling))
        return;
    while (ghcomp_task_unfinished(parent, reported = ghcomp_load_acquire(&parent->reported)) >=
           GHCOMP_TASK_UNFINISHED_MOST) {
        struct ghcomp_task *task = ghcomp_task_take_descendant(self);
        if (task != NULL) {
            ghcomp_task_run(self, task);
            continue;
        }
        if (self->unthrottled > 0) {
            self->unthrottled--;
            return;
        }
        uint64_t begin = ghcomp_cpu_ticks();
        while (ghcomp_load_relaxed(&parent->reported) == reported) {
            if (ghcomp_cpu_ticks() - begin > WAIT_TICKS) {
                self->unthrottled = LEFT_ALONE;
                return;
            }
            if (ghcomp_cpu_load_oversubscribed())
                ghcomp_os_yield();
            else
                ghcomp_cpu_pause();
        }
    }
}

/* --- fork() ------------------------------------------------------------------------------------------------------- */

void ghcomp_task_fork_child(struct ghcomp_member *self)
{
    struct ghcomp_thread *thread = self->thread;
    bool lost = false;
    for (struct ghcomp_task *task = self->task; task != NULL && task->executor->thread == thread;
         task = ghcomp_load_relaxed(&task->parent)) {
        struct ghcomp_team *team = task->executor->team;
        if (team->size == 1 && !ghcomp_aside_lost() && !ghcomp_seats_used(team))
            continue; /* no other thread had any */
        ghcomp_task_queue_fork_child(&team->queue);
        if (ghcomp_seats_used(team)) {
            ghcomp_seats_fork_child(team);
            ghcomp_task_queue_free(&team->queue);
        }
        if (team->size == 1)
            ghcomp_store_relaxed(&team->outside, ghcomp_load_relaxed(&team->members[0]->created) -
                                                     ghcomp_load_relaxed(&team->members[0]->completed));
        lost = true;
        task->due = ghcomp_load_relaxed(&task->reported) >> 1;
        ghcomp_depend_fork_child(task);
        struct ghcomp_taskgroup *group = task->group;
        for (; group != NULL && group->opener == task; group = group->outer)
            group->due = ghcomp_load_relaxed(&group->reported) >> 1;
    }
    if (lost)
        thread->memory.dependences = NULL;
}
