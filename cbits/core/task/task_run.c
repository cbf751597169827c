/* Running and completing explicit tasks, and discarding those of a cancelled region or taskgroup. Creating them is in
 * task.c, waiting for them in task_wait.c.
 *
 * The counts that a task's end changes.
 *   - The generating task, for taskwait: `due` counts its children that are not complete. Its own thread subtracts the
 *     children that it ran; other threads report theirs (`reported`). CHILD says that this is still to be done.
 *   - Its taskgroup, if the task is a TOP one (taskgroup.c), when it and all its descendants have ended.
 *   - Its team: deferred tasks are counted by the member that creates and by the one that completes them (task_team.c).
 *
 * Events (detach clause). The end of the function and omp_fulfill_event each set a bit of `event` (or_acqrel): the
 * second one completes the task. The fulfilling thread may belong to the team, to another one, or to none; if it is not
 * a member (self == NULL below), it must not touch anything that is "executor only". A task that is discarded is
 * complete at once, as in libgomp; only its memory waits for the event (task_life.h).
 *
 * Called by task.c, task_wait.c, task_team.c, haskell/task.c, abi/kmp/kmp_task.c. Covered by test/unit/task.c,
 * test/conformance/{task,taskwait,taskgroup,detach}, test/stress/tasks.sh.
 */
#include "core/cpu/wait.h"
#include "core/cpu/yield_to_haskell.h"
#include "core/sync/eventcount.h"
#include "core/task/task_life.h"
#include "core/task/task_now.h"
#include "core/task/taskdep.h"
#include "core/task/taskgroup.h"
#include "core/tool/tool_filter.h"
#include "core/trace/trace.h"
#include "core/tsan/races.h"

/* --- completion --------------------------------------------------------------------------------------------------- */

void ghcomp_pending_report(struct ghcomp_team *team, _Atomic uint32_t *reported)
{
    if (ghcomp_add_acqrel(reported, 2u) & 1u)
        ghcomp_eventcount_notify(team);
}

static inline struct ghcomp_task *tell(struct ghcomp_member *self, struct ghcomp_team *team, struct ghcomp_task *task,
                                       bool keep)
{
    struct ghcomp_task *kept = NULL;
    if (ghcomp_unlikely(task->traits & GHCOMP_TASK_DEPENDENT))
        kept = ghcomp_depend_complete(self, team, task, keep);
    if (task->traits & GHCOMP_TASK_CHILD) {
        struct ghcomp_task *parent = ghcomp_load_relaxed(&task->parent);
        if (parent->executor == self)
            parent->due--;
        else
            ghcomp_pending_report(team, &parent->reported);
    }
    return kept;
}

static inline void count_completed(struct ghcomp_member *self)
{
    ghcomp_store_release(&self->completed, ghcomp_load_relaxed(&self->completed) + 1);
}

void ghcomp_task_count_outside(struct ghcomp_team *team)
{
    /* This may end the region, but the team's struct is never freed, and a needless notification does no harm. */
    ghcomp_add_acqrel(&team->outside, 1u);
    ghcomp_eventcount_notify(team);
}

/* Returns a task that the caller runs at once, if it may `keep` one. */
static inline struct ghcomp_task *complete(struct ghcomp_member *self, struct ghcomp_team *team,
                                           struct ghcomp_task *task, bool keep)
{
    if (ghcomp_unlikely(task->traits & GHCOMP_TASK_RACES))
        ghcomp_races_task_completes(task);
    return tell(self, team, task, keep);
}

void ghcomp_task_discard(struct ghcomp_task *task)
{
    if (task->traits & GHCOMP_TASK_DETACHABLE)
        ghcomp_or_acqrel(&task->event, (uint32_t)GHCOMP_EVENT_DISCARDED);
}

static void finish_detachable(struct ghcomp_member *self, struct ghcomp_task *task)
{
    struct ghcomp_team *team = self->team;
    if (task->traits & GHCOMP_TASK_UNDEFERRED) {
        /* The generating thread waits for completion, which includes the event. */
        struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_POST);
        while (!(ghcomp_load_acquire(&task->event) & GHCOMP_EVENT_FULFILLED)) {
            struct ghcomp_task *other = ghcomp_task_take_descendant(self);
            if (other == NULL) {
                ghcomp_spin_again(&spin);
                continue;
            }
            ghcomp_task_run(self, other);
            spin = ghcomp_spin_start(GHCOMP_WAIT_POST);
        }
    }
    ghcomp_task_end(self, team, task, 1);
    if (!(ghcomp_or_acqrel(&task->event, (uint32_t)GHCOMP_EVENT_OVER) & GHCOMP_EVENT_FULFILLED))
        return;
    ghcomp_store_relaxed(&task->event, 0u);
    bool counted = task->traits & GHCOMP_TASK_COUNTED;
    complete(self, team, task, false);
    if (ghcomp_task_give_back(self, task))
        ghcomp_task_release(self, team, task);
    if (counted)
        count_completed(self);
}

static __attribute__((noinline, cold)) void report_fulfilled(struct ghcomp_task *task)
{
    ghcomp_races_task_over(ghcomp_self_member, task, task->traits & GHCOMP_TASK_CHILD);
}

void ghcomp_task_fulfill(struct ghcomp_task *task)
{
    bool discarded = ghcomp_load_acquire(&task->event) & GHCOMP_EVENT_DISCARDED;
    if (ghcomp_unlikely(task->traits & GHCOMP_TASK_RACES) && !discarded)
        report_fulfilled(task);
    bool early = ghcomp_unlikely(task->traits & GHCOMP_TASK_REPORTED) && !discarded &&
                 !(ghcomp_load_acquire(&task->event) & GHCOMP_EVENT_OVER);
    if (early)
        ghcomp_tool_task_fulfilled(task, ompt_task_early_fulfill);
    uint32_t before = ghcomp_or_acqrel(&task->event, (uint32_t)GHCOMP_EVENT_FULFILLED);
    if (ghcomp_unlikely(before & GHCOMP_EVENT_RELEASED))
        ghcomp_task_free_discarded(task);
    if (!(before & GHCOMP_EVENT_OVER))
        return; /* the executor completes it, and the task may be gone */
    if (ghcomp_unlikely(task->traits & GHCOMP_TASK_REPORTED) && !early)
        ghcomp_tool_task_fulfilled(task, ompt_task_late_fulfill);
    ghcomp_store_relaxed(&task->event, 0u);
    struct ghcomp_team *team = task->executor->team;
    struct ghcomp_member *self = ghcomp_self_member;
    if (self != NULL && self->team != team)
        self = NULL;
    bool counted = task->traits & GHCOMP_TASK_COUNTED;
    /* NULL, as for a thread outside the team: a task that becomes ready here need not descend from the current task,
       and all tasks in this thread's deque must (task_take.c). */
    complete(NULL, team, task, false);
    if (ghcomp_task_give_back(self, task))
        ghcomp_task_release(self, team, task);
    if (!counted)
        return;
    if (self != NULL)
        count_completed(self);
    else
        ghcomp_task_count_outside(team);
}

/* --- running ------------------------------------------------------------------------------------------------------ */

/* Tasks of a cancelled region or taskgroup do not start. */
static inline bool discarded_in(struct ghcomp_team *team, const struct ghcomp_taskgroup *group)
{
    if (ghcomp_likely(!ghcomp_global.cancel))
        return false;
    return (ghcomp_load_relaxed(&team->cancelled) & GHCOMP_CANCELLED_PARALLEL) || ghcomp_taskgroup_cancelled(group);
}

static inline bool discarded(struct ghcomp_member *self, const struct ghcomp_taskgroup *group)
{
    return discarded_in(self->team, group);
}

bool ghcomp_task_refused_slow(struct ghcomp_member *self)
{
    return discarded(self, self->task->group);
}

bool ghcomp_task_region_refuses(struct ghcomp_member *self)
{
    return discarded(self, NULL);
}

static inline bool may_run(struct ghcomp_member *self, struct ghcomp_task *task)
{
    return ghcomp_likely(!discarded(self, task->group) || (task->traits & GHCOMP_TASK_CONSTRUCTED));
}

static __attribute__((noinline, cold)) bool start_observed(struct ghcomp_member *self, struct ghcomp_task *task)
{
    if ((task->traits & GHCOMP_TASK_REPORTED) ||
        ((task->traits & GHCOMP_TASK_FILTERED) && ghcomp_tool_interrupts(self, task)))
        ghcomp_tool_task_start(self, self->task, task);
    self->task = task;
    self->credits = ghcomp_tool_no_credits;
    if ((task->traits & GHCOMP_TASK_LOGGED) && (task->traits & GHCOMP_TASK_COUNTED) &&
        (task->trace_log = ghcomp_trace_begin(ghcomp_observers_now(), GHCOMP_TRACE_TASK)) != 0)
        task->traits |= GHCOMP_TASK_TRACED;
    if (task->traits & GHCOMP_TASK_RACES)
        ghcomp_races_task_starts(task);
    bool runs = may_run(self, task);
    if (!runs && (task->traits & GHCOMP_TASK_REPORTED))
        ghcomp_tool_task_discarded(self, task);
    return runs;
}

/* From here on a task whose start is unreported is treated as any other. */
static __attribute__((noinline)) bool start_special(struct ghcomp_member *self, struct ghcomp_task *task)
{
    if (!ghcomp_task_starts_unreported(self, task))
        return start_observed(self, task);
    task->traits &= (uint16_t)~GHCOMP_TASK_FILTERED;
    self->task = task;
    return may_run(self, task);
}

/* The traits name the observers that were active when the task was made. */
static inline bool start(struct ghcomp_member *self, struct ghcomp_task *task)
{
    if (ghcomp_load_relaxed(&task->depth) > 1 && ghcomp_load_relaxed(&ghcomp_load_relaxed(&task->parent)->ended))
        ghcomp_task_move_up(self, task);
    ghcomp_task_set_marks(self, task);
    if (ghcomp_unlikely(task->traits & GHCOMP_TASK_OBSERVED))
        return start_special(self, task);
    self->task = task;
    return may_run(self, task);
}

static void finish_observed(struct ghcomp_member *self, struct ghcomp_task *task, struct ghcomp_task *before)
{
    self->credits = ghcomp_tool_no_credits;
    bool detached = (task->traits & GHCOMP_TASK_DETACHABLE) &&
                    !(ghcomp_load_acquire(&task->event) & (GHCOMP_EVENT_FULFILLED | GHCOMP_EVENT_DISCARDED));
    bool cancelled = !detached && ghcomp_global.cancel && ghcomp_taskgroup_cancelled(task->group);
    ghcomp_tool_task_finish(self, task, before,
                            detached ? ompt_task_detach : cancelled ? ompt_task_cancel : ompt_task_complete);
}

/* The steps that most tasks do not need. True: the task's event does the rest. */
static __attribute__((noinline)) bool finish_special(struct ghcomp_member *self, struct ghcomp_task *task,
                                                     struct ghcomp_task *before)
{
    if (task->traits & GHCOMP_TASK_TRACED)
        ghcomp_trace_end(GHCOMP_TRACE_TASK, task->trace_log);
    if (task->traits & GHCOMP_TASK_RACES)
        ghcomp_races_task_over(self, task, task->traits & GHCOMP_TASK_CHILD);
    if (task->traits & GHCOMP_TASK_REPORTED)
        finish_observed(self, task, before);
    if ((task->traits & GHCOMP_TASK_DETACHABLE) && !(ghcomp_load_relaxed(&task->event) & GHCOMP_EVENT_DISCARDED)) {
        finish_detachable(self, task);
        return true;
    }
    return false;
}

static inline struct ghcomp_task *finish(struct ghcomp_member *self, struct ghcomp_task *task,
                                         struct ghcomp_task *before, bool keep)
{
    self->task = before;
    if (ghcomp_unlikely(task->traits & (GHCOMP_TASK_OBSERVED | GHCOMP_TASK_DETACHABLE)) &&
        finish_special(self, task, before))
        return NULL;
    bool counted = task->traits & GHCOMP_TASK_COUNTED;
    struct ghcomp_task *kept = complete(self, self->team, task, keep);
    ghcomp_task_end(self, self->team, task, 0);
    if (counted)
        count_completed(self);
    return kept;
}

static inline __attribute__((always_inline)) struct ghcomp_task *
run_one(struct ghcomp_member *self, struct ghcomp_task *task, bool keep)
{
    ghcomp_yield_to_haskell(self);
    struct ghcomp_task *before = self->task;
    if (start(self, task)) {
        if (ghcomp_unlikely(task->traits & GHCOMP_TASK_REPORTED))
            ghcomp_tool_call(task->fn, task->data);
        else
            task->fn(task->data);
    } else {
        ghcomp_task_discard(task);
    }
    return finish(self, task, before, keep);
}

void ghcomp_task_run(struct ghcomp_member *self, struct ghcomp_task *task)
{
    run_one(self, task, false);
}

void ghcomp_task_run_and_next(struct ghcomp_member *self, struct ghcomp_task *task)
{
    do
        task = run_one(self, task, true);
    while (ghcomp_unlikely(task != NULL));
}

bool ghcomp_task_start(struct ghcomp_member *self, struct ghcomp_task *task)
{
    return start(self, task);
}

void ghcomp_task_finish(struct ghcomp_member *self, struct ghcomp_task *task, struct ghcomp_task *before)
{
    finish(self, task, before, false);
}

/* --- aside -------------------------------------------------------------------------------------------------------- */

bool ghcomp_task_may_run_aside(struct ghcomp_team *team, const struct ghcomp_task *task)
{
    return !discarded_in(team, task->group) || (task->traits & GHCOMP_TASK_CONSTRUCTED);
}

void ghcomp_task_end_aside(struct ghcomp_team *team, struct ghcomp_task *task)
{
    complete(NULL, team, task, false);
    ghcomp_task_end(NULL, team, task, 0);
    ghcomp_task_count_outside(team);
}
