/* Explicit tasks: creating, running and completing them. Waiting for them is in task_wait.c.
 *
 * Where a task runs. At once on the generating thread when its if clause is false, when the generating task is final,
 * in a team of one, and when the thread's deque is full; in the last two cases only down to a depth
 * (GHCOMP_TASK_NESTED). The full deque bounds memory, since a producer that outruns its consumers runs its tasks
 * itself; and few tiny tasks may wait, because running them at once is cheaper (ghcomp_task_gauge). Otherwise a task
 * goes to the bottom of the thread's deque, from where the thread pops the youngest and others steal the oldest; tasks
 * with a priority go to the team's queue. KMP_ENABLE_TASK_THROTTLING=0 lets tasks wait without bound, beyond the deque
 * in the thread's list (task_overflow.h). A task with unmet dependences is in neither until taskdep.c makes it ready.
 *
 * What is told of its end.
 *   - The generating task, for taskwait: `due` counts its children that are not complete. Its own thread subtracts the
 *     children that it ran; other threads report theirs (`reported`). CHILD says that this is still to be done.
 *   - Its taskgroup, if the task is a TOP one (taskgroup.c), when it and all its descendants have ended.
 *   - Its team: deferred tasks are counted by the member that creates and by the one that completes them (task_team.c).
 *
 * How long a task's struct lives. Children refer to their parent, whose struct must outlive them: each child has a
 * reference to it. The executor counts the children's references that it takes or returns itself in `living` (twice the
 * number, plus one: "had children", so that tasks without children need not look at the rest). Those that other threads
 * take or return are counted in `refcount`, which starts at REFERENCES_RUNNING. When the task's function has returned,
 * the executor adds the two up:
 *
 *     refcount += living / 2 - REFERENCES_RUNNING
 *
 * From then on all threads count in `refcount`. The thread that brings it to zero (sub_acqrel; all accesses through the
 * other references happen before that) frees the struct and returns the task's reference to its own parent. Until the
 * event of a detachable task is fulfilled, the task has a reference to itself.
 *
 * A chain of tasks, each created by the one before, would keep all its ancestors that way. So a task that starts and
 * finds that its parent has ended (`ended`) becomes the child of the nearest ancestor that has not, and the duty to
 * report to the taskgroup moves with it. It still descends from all its ancestors that still run. `ended` may be read
 * too early: then the next task moves further.
 *
 * Events (detach clause). The end of the function and omp_fulfill_event each set a bit of `event` (or_acqrel): the
 * second one completes the task. The fulfilling thread may belong to the team, to another one, or to none; if it is not
 * a member (self == NULL below), it must not touch anything that is "executor only".
 *
 * Called by abi/gomp/gomp_task.c, taskloop.c, target.c. Covered by test/unit/task.c,
 * test/conformance/{task,taskwait,detach}, test/stress/tasks.sh.
 */
#include "core/task/task_heap.h"
#include "core/task/task_overflow.h"

#include <stdlib.h>

#include "base/check.h"
#include "core/cpu/wait.h"
#include "core/cpu/yield_to_haskell.h"
#include "core/sync/eventcount.h"
#include "core/sync/task_team.h"
#include "core/task/deque.h"
#include "core/task/taskdep.h"
#include "core/task/taskgroup.h"
#include "core/tool/tool.h"
#include "core/trace/races.h"
#include "core/trace/trace.h"

enum { QUEUED_PER_MEMBER = 256 }; /* tasks with a priority that wait before producers run theirs at once */

/* Bits of event. */
enum { FUNCTION_OVER = 1, FULFILLED = 2 };

/* --- references --------------------------------------------------------------------------------------------------- */

static inline bool counts_itself(const struct ghcomp_member *self, struct ghcomp_task *task)
{
    return task->executor == self && !ghcomp_load_relaxed(&task->ended);
}

/* `living` has 31 bits, and other threads take what it counts from `refcount`, which starts at REFERENCES_RUNNING: so
   it is moved there long before either ends. A task may make more than 2^30 children in its life. */
static __attribute__((noinline, cold)) void move_living(struct ghcomp_task *task)
{
    ghcomp_add_relaxed(&task->refcount, task->living / 2); /* relaxed: the executor's own reference keeps the task */
    task->living = 1;
}

static inline void add_living(struct ghcomp_task *task)
{
    task->living = (task->living + 2) | 1;
    if (ghcomp_unlikely((int32_t)task->living >= GHCOMP_TASK_LIVING_MOST))
        move_living(task);
}

static inline void refer(struct ghcomp_member *self, struct ghcomp_task *task)
{
    if (counts_itself(self, task))
        add_living(task);
    else
        ghcomp_add_relaxed(&task->refcount, 1u); /* relaxed: the caller's other reference keeps the task alive */
}

/* Returns a child's reference; true: it was the last one. */
static inline bool give_back(struct ghcomp_member *self, struct ghcomp_task *task)
{
    if (counts_itself(self, task)) {
        task->living -= 2;
        return false;
    }
    return ghcomp_sub_acqrel(&task->refcount, 1u) == 1;
}

static __attribute__((noinline)) void release_more(struct ghcomp_task *task)
{
    if (task->traits & GHCOMP_TASK_RACES)
        ghcomp_races_task_free(task->traits & GHCOMP_TASK_BIG ? task->data : NULL);
    else if (task->traits & GHCOMP_TASK_BIG)
        free(task->data);
    if (task->traits & GHCOMP_TASK_OBSERVED)
        ghcomp_tool_task_free(task);
}

/* No reference to the task is left: frees it, and then its parent, if the task's was the last reference to that. */
static void release(struct ghcomp_member *self, struct ghcomp_team *team, struct ghcomp_task *task)
{
    for (;;) {
        struct ghcomp_task *parent = ghcomp_load_relaxed(&task->parent);
        uint32_t depth = ghcomp_load_relaxed(&task->depth);
        if (task->traits & GHCOMP_TASK_TOP) {
            struct ghcomp_taskgroup *group = task->group;
            if (group->opener->executor == self)
                group->due--;
            else
                ghcomp_pending_report(team, &group->reported);
        }
        if (task->living != 0) {
            ghcomp_store_relaxed(&task->refcount, GHCOMP_TASK_REFERENCES_RUNNING);
            ghcomp_store_relaxed(&task->reported, 0u);
            ghcomp_store_relaxed(&task->ended, false);
        }
        if (ghcomp_unlikely(task->traits & (GHCOMP_TASK_BIG | GHCOMP_TASK_OBSERVED)))
            release_more(task);
        ghcomp_task_heap_put(self == NULL ? NULL : self->thread, task);
        if (depth == 1 || !give_back(self, parent))
            return;
        task = parent;
    }
}

/* The function of the task has returned. */
static inline void end(struct ghcomp_member *self, struct ghcomp_team *team, struct ghcomp_task *task, uint32_t extra)
{
    if (ghcomp_likely(task->living == 0 && extra == 0)) {
        release(self, team, task);
        return;
    }
    task->living |= 1;
    if (task->table != NULL)
        ghcomp_depend_forget(task);
    ghcomp_store_release(&task->ended, true);
    /* Below zero when the executor returned references that other threads took. */
    uint32_t change = (uint32_t)((int32_t)task->living >> 1) + extra - GHCOMP_TASK_REFERENCES_RUNNING;
    if (ghcomp_add_acqrel(&task->refcount, change) + change == 0)
        release(self, team, task);
}

/* Makes the nearest ancestor that has not ended the parent of the task, which is about to start. */
static __attribute__((noinline)) void move_up(struct ghcomp_member *self, struct ghcomp_task *task)
{
    struct ghcomp_task *parent;
    while (ghcomp_load_relaxed(&task->depth) > 1 &&
           ghcomp_load_acquire(&(parent = ghcomp_load_relaxed(&task->parent))->ended)) {
        struct ghcomp_task *above = ghcomp_load_relaxed(&parent->parent);
        uint32_t depth = ghcomp_load_relaxed(&parent->depth);
        if (depth > 1)
            refer(self, above);
        if (parent->traits & GHCOMP_TASK_TOP) {
            struct ghcomp_taskgroup *group = task->group;
            task->traits |= GHCOMP_TASK_TOP;
            if (group->opener->executor == self)
                group->due++;
            else
                ghcomp_sub_relaxed(&group->reported, 2u); /* one report fewer; the parent's own comes later */
        }
        task->traits &= (uint16_t)~GHCOMP_TASK_CHILD;
        ghcomp_store_relaxed(&task->parent, above);
        ghcomp_store_relaxed(&task->depth, depth);
        if (give_back(self, parent))
            release(self, self->team, parent);
    }
}

/* --- completion --------------------------------------------------------------------------------------------------- */

void ghcomp_pending_report(struct ghcomp_team *team, _Atomic uint32_t *reported)
{
    if (ghcomp_add_acqrel(reported, 2u) & 1u)
        ghcomp_eventcount_notify(team);
}

static inline void tell(struct ghcomp_member *self, struct ghcomp_team *team, struct ghcomp_task *task)
{
    if (ghcomp_unlikely(task->traits & GHCOMP_TASK_DEPENDENT))
        ghcomp_depend_complete(self, team, task);
    if (task->traits & GHCOMP_TASK_CHILD) {
        struct ghcomp_task *parent = ghcomp_load_relaxed(&task->parent);
        if (parent->executor == self)
            parent->due--;
        else
            ghcomp_pending_report(team, &parent->reported);
    }
}

static inline void count_completed(struct ghcomp_member *self)
{
    ghcomp_store_release(&self->completed, ghcomp_load_relaxed(&self->completed) + 1);
}

static inline void complete(struct ghcomp_member *self, struct ghcomp_team *team, struct ghcomp_task *task)
{
    if (ghcomp_unlikely(task->traits & GHCOMP_TASK_RACES))
        ghcomp_races_task_completes(task);
    tell(self, team, task);
}

static void finish_detachable(struct ghcomp_member *self, struct ghcomp_task *task)
{
    struct ghcomp_team *team = self->team;
    if (task->traits & GHCOMP_TASK_UNDEFERRED) {
        /* The generating thread waits for completion, which includes the event. */
        struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_POST);
        while (!(ghcomp_load_acquire(&task->event) & FULFILLED)) {
            struct ghcomp_task *other = ghcomp_task_take_descendant(self);
            if (other == NULL) {
                ghcomp_spin_again(&spin);
                continue;
            }
            ghcomp_task_run(self, other);
            spin = ghcomp_spin_start(GHCOMP_WAIT_POST);
        }
    }
    end(self, team, task, 1);
    if (!(ghcomp_or_acqrel(&task->event, (uint32_t)FUNCTION_OVER) & FULFILLED))
        return;
    ghcomp_store_relaxed(&task->event, 0u);
    bool counted = task->traits & GHCOMP_TASK_COUNTED;
    complete(self, team, task);
    if (give_back(self, task))
        release(self, team, task);
    if (counted)
        count_completed(self);
}

static __attribute__((noinline, cold)) void tell_fulfilled(struct ghcomp_task *task)
{
    ghcomp_races_task_over(ghcomp_self_member, task, task->traits & GHCOMP_TASK_CHILD);
}

void ghcomp_task_fulfill(struct ghcomp_task *task)
{
    if (ghcomp_unlikely(task->traits & GHCOMP_TASK_RACES))
        tell_fulfilled(task);
    if (ghcomp_unlikely(task->traits & GHCOMP_TASK_OBSERVED) && !(ghcomp_load_acquire(&task->event) & FUNCTION_OVER))
        ghcomp_tool_task_fulfilled(task, ompt_task_early_fulfill);
    if (!(ghcomp_or_acqrel(&task->event, (uint32_t)FULFILLED) & FUNCTION_OVER))
        return; /* the executor completes it, and the task may be gone */
    if (ghcomp_unlikely(task->traits & GHCOMP_TASK_OBSERVED))
        ghcomp_tool_task_fulfilled(task, ompt_task_late_fulfill);
    ghcomp_store_relaxed(&task->event, 0u);
    struct ghcomp_team *team = task->executor->team;
    struct ghcomp_member *self = ghcomp_self_member;
    if (self != NULL && self->team != team)
        self = NULL;
    bool counted = task->traits & GHCOMP_TASK_COUNTED;
    complete(self, team, task);
    if (give_back(self, task))
        release(self, team, task);
    if (!counted)
        return;
    if (self != NULL) {
        count_completed(self);
        return;
    }
    /* This may end the region, but the team's struct is never freed, and a needless notification does no harm. */
    ghcomp_add_acqrel(&team->outside, 1u);
    ghcomp_eventcount_notify(team);
}

/* --- running ------------------------------------------------------------------------------------------------------ */

/* Tasks of a cancelled region or taskgroup do not start. */
static inline bool discarded(struct ghcomp_member *self, const struct ghcomp_taskgroup *group)
{
    if (ghcomp_likely(!ghcomp_global.cancel))
        return false;
    return (ghcomp_load_relaxed(&self->team->cancelled) & GHCOMP_CANCELLED_PARALLEL) ||
           ghcomp_taskgroup_cancelled(group);
}

bool ghcomp_task_refused_slow(struct ghcomp_member *self)
{
    return discarded(self, self->task->group);
}

static inline bool may_run(struct ghcomp_member *self, struct ghcomp_task *task)
{
    return ghcomp_likely(!discarded(self, task->group) || (task->traits & GHCOMP_TASK_CONSTRUCTED));
}

static __attribute__((noinline, cold)) bool start_seen(struct ghcomp_member *self, struct ghcomp_task *task,
                                                       uint32_t observers)
{
    if ((task->traits & GHCOMP_TASK_OBSERVED) ||
        ((observers & GHCOMP_OBSERVE_TOOL) && ghcomp_tool_interrupts(self, task)))
        ghcomp_tool_task_start(self, self->task, task);
    self->task = task;
    if ((task->traits & GHCOMP_TASK_COUNTED) &&
        (task->trace_log = ghcomp_trace_begin(observers, GHCOMP_TRACE_TASK)) != 0)
        task->traits |= GHCOMP_TASK_TRACED;
    if (task->traits & GHCOMP_TASK_RACES)
        ghcomp_races_task_starts(task);
    bool runs = may_run(self, task);
    if (!runs && (task->traits & GHCOMP_TASK_OBSERVED))
        ghcomp_tool_task_discarded(self, task);
    return runs;
}

static inline bool start(struct ghcomp_member *self, struct ghcomp_task *task)
{
    if (ghcomp_load_relaxed(&task->depth) > 1 && ghcomp_load_relaxed(&ghcomp_load_relaxed(&task->parent)->ended))
        move_up(self, task);
    struct ghcomp_deque *deque = ghcomp_load_relaxed(&self->deque);
    task->executor = self;
    task->mark = deque != NULL ? ghcomp_load_relaxed(&deque->bottom) : 0;
    task->overflow_mark = self->overflow_count;
    uint32_t observers = ghcomp_observers_now();
    if (ghcomp_unlikely(((observers & GHCOMP_OBSERVE_HOOKS) | (task->traits & GHCOMP_TASK_SEEN)) != 0))
        return start_seen(self, task, observers);
    self->task = task;
    return may_run(self, task);
}

static void finish_observed(struct ghcomp_member *self, struct ghcomp_task *task, struct ghcomp_task *before)
{
    bool detached = (task->traits & GHCOMP_TASK_DETACHABLE) && !(ghcomp_load_acquire(&task->event) & FULFILLED);
    bool cancelled = !detached && ghcomp_global.cancel && ghcomp_taskgroup_cancelled(task->group);
    ghcomp_tool_task_finish(self, task, before,
                            detached ? ompt_task_detach : cancelled ? ompt_task_cancel : ompt_task_complete);
}

/* What most tasks do not have. True: the rest is for the task's event. */
static __attribute__((noinline)) bool finish_special(struct ghcomp_member *self, struct ghcomp_task *task,
                                                     struct ghcomp_task *before)
{
    if (task->traits & GHCOMP_TASK_TRACED)
        ghcomp_trace_end(GHCOMP_TRACE_TASK, task->trace_log);
    if (task->traits & GHCOMP_TASK_RACES)
        ghcomp_races_task_over(self, task, task->traits & GHCOMP_TASK_CHILD);
    if (task->traits & GHCOMP_TASK_OBSERVED)
        finish_observed(self, task, before);
    if (task->traits & GHCOMP_TASK_DETACHABLE) {
        finish_detachable(self, task);
        return true;
    }
    return false;
}

static inline void finish(struct ghcomp_member *self, struct ghcomp_task *task, struct ghcomp_task *before)
{
    self->task = before;
    if (ghcomp_unlikely(task->traits & (GHCOMP_TASK_SEEN | GHCOMP_TASK_DETACHABLE)) &&
        finish_special(self, task, before))
        return;
    bool counted = task->traits & GHCOMP_TASK_COUNTED;
    complete(self, self->team, task);
    end(self, self->team, task, 0);
    if (counted)
        count_completed(self);
}

void ghcomp_task_run(struct ghcomp_member *self, struct ghcomp_task *task)
{
    ghcomp_yield_to_haskell(self);
    struct ghcomp_task *before = self->task;
    if (start(self, task)) {
        if (ghcomp_unlikely(task->traits & GHCOMP_TASK_OBSERVED))
            ghcomp_tool_call(task->fn, task->data);
        else
            task->fn(task->data);
    }
    finish(self, task, before);
}

bool ghcomp_task_start(struct ghcomp_member *self, struct ghcomp_task *task)
{
    return start(self, task);
}

void ghcomp_task_finish(struct ghcomp_member *self, struct ghcomp_task *task, struct ghcomp_task *before)
{
    finish(self, task, before);
}

/* --- creating ----------------------------------------------------------------------------------------------------- */

/* What a task inherits from its parent. */
static inline void start_in(struct ghcomp_task *task, struct ghcomp_task *parent, unsigned flags)
{
    if (ghcomp_likely(parent->icv != &parent->own)) {
        task->icv = parent->icv;
    } else {
        task->own = parent->own;
        task->icv = &task->own;
    }
    ghcomp_store_relaxed(&task->parent, parent);
    task->group = parent->group;
    task->due = 0;
    task->living = 0;
    task->id = 0;
    ghcomp_store_relaxed(&task->depth, ghcomp_load_relaxed(&parent->depth) + 1);
    task->final = parent->final || (flags & GHCOMP_TASK_FLAG_FINAL) != 0;
}

/* The task has a reference to its parent, and may be one that the taskgroup waits for. By the parent's executor. */
static inline void hold_up(struct ghcomp_task *parent, struct ghcomp_task *task)
{
    add_living(parent);
    if (ghcomp_unlikely(task->group != NULL) && task->group->opener == parent) {
        task->traits |= GHCOMP_TASK_TOP;
        task->group->due++;
    }
}

static void tell_races(struct ghcomp_member *self, struct ghcomp_task *task,
                                                       size_t bytes, size_t align)
{
    task->traits |= GHCOMP_TASK_RACES;
    ghcomp_races_task_new(task, self->team, self->task->group);
    if (bytes > 0)
        ghcomp_task_heap_big(task, bytes, align);
}

static void observe(struct ghcomp_member *self, struct ghcomp_task *task, size_t bytes, unsigned flags)
{
    task->traits |= GHCOMP_TASK_OBSERVED;
    ghcomp_tool_task_new(self, task, bytes,
                         (flags & GHCOMP_TASK_FLAG_UNTIED ? ompt_task_untied : 0) |
                             (task->final ? ompt_task_final : 0) |
                             (flags & GHCOMP_TASK_FLAG_MERGEABLE ? ompt_task_mergeable : 0));
}

void ghcomp_task_tell_create(struct ghcomp_member *self, struct ghcomp_task *task, int flags)
{
    bool undeferred = (task->traits & GHCOMP_TASK_UNDEFERRED) || self->task->final || self->team->size == 1;
    if (task->traits & GHCOMP_TASK_DEPENDENT)
        ghcomp_tool_task_keep(self, task);
    ghcomp_tool_task_create(self, task, flags | (undeferred ? ompt_task_undeferred : 0),
                            task->traits & GHCOMP_TASK_DEPENDENT);
}

static inline __attribute__((always_inline)) struct ghcomp_task *
make(struct ghcomp_member *self, void (*fn)(void *), size_t bytes, size_t align, unsigned flags, uint32_t observers)
{
    struct ghcomp_task *parent = self->task;
    struct ghcomp_task *task;
    if (ghcomp_likely(bytes <= GHCOMP_TASK_ROOM && align <= 16))
        task = ghcomp_task_heap_get(self->thread);
    else
        task = ghcomp_task_heap_get_large(self->thread);
    task->traits = 0;
    task->data = (char *)task + GHCOMP_TASK_BYTES;
    if (ghcomp_races_on(observers))
        tell_races(self, task, bytes, align);
    else if (ghcomp_unlikely(bytes > GHCOMP_TASK_LARGE_ROOM || align > 16))
        ghcomp_task_heap_big(task, bytes, align);
    task->fn = fn;
    task->priority = 0;
    start_in(task, parent, flags);
    hold_up(parent, task);
    if (ghcomp_unlikely(observers & GHCOMP_OBSERVE_TOOL) && !(flags & GHCOMP_TASK_FLAG_UNTOLD))
        observe(self, task, bytes, flags);
    return task;
}

static __attribute__((noinline, cold)) struct ghcomp_task *
new_seen(struct ghcomp_member *self, void (*fn)(void *), size_t bytes, size_t align, unsigned flags)
{
    return make(self, fn, bytes, align, flags, ghcomp_observers_now());
}

struct ghcomp_task *ghcomp_task_new(struct ghcomp_member *self, void (*fn)(void *), size_t bytes, size_t align,
                                    unsigned flags)
{
    if (ghcomp_watched())
        return new_seen(self, fn, bytes, align, flags);
    return make(self, fn, bytes, align, flags, 0);
}

void ghcomp_task_drop(struct ghcomp_member *self, struct ghcomp_task *task)
{
    release(self, self->team, task);
}

static __attribute__((noinline)) struct ghcomp_deque *new_deque(struct ghcomp_member *self)
{
    struct ghcomp_deque *deque = ghcomp_alloc_lines(sizeof *deque);
    deque->limit = deque->deep_limit = GHCOMP_DEQUE_SLOTS;
    ghcomp_store_release(&self->deque, deque);
    return deque;
}

static inline uint32_t depth_of_current(const struct ghcomp_member *self)
{
    return ghcomp_load_relaxed(&self->task->depth);
}

/* After ghcomp_task_surely_runs_now has said no: whether the deque is full nevertheless. */
bool ghcomp_task_full(struct ghcomp_member *self, struct ghcomp_deque *deque)
{
    uint32_t waiting = ghcomp_load_relaxed(&deque->bottom) - deque->seen_top, depth = depth_of_current(self);
    if (waiting < ghcomp_task_limit(deque, depth))
        return false;
    if (deque->runs % GHCOMP_TASK_GAUGED == 0) {
        deque->runs++;
        ghcomp_task_gauge(self, deque);
    }
    return waiting >= ghcomp_task_limit(deque, depth) && ghcomp_settings.task_throttling &&
           ghcomp_task_may_nest(self, depth, GHCOMP_TASK_NESTED);
}

/* Puts a ready task where the team finds it; false: no room. `forced`: the only other place for it is the team's queue,
   so the deque takes as many tasks as it can hold. */
static inline bool push(struct ghcomp_member *self, struct ghcomp_task *task, bool forced)
{
    struct ghcomp_team *team = self->team;
    if (ghcomp_unlikely(task->priority > 0)) {
        if (team->size == 1 || ghcomp_load_relaxed(&team->queue.count) >= QUEUED_PER_MEMBER * team->size)
            return false;
        ghcomp_task_queue_put(team, task);
    } else {
        struct ghcomp_deque *deque = ghcomp_load_relaxed(&self->deque);
        if (ghcomp_unlikely(deque == NULL))
            deque = new_deque(self);
        uint32_t room = forced ? GHCOMP_DEQUE_SLOTS : ghcomp_task_limit(deque, depth_of_current(self));
        if (ghcomp_unlikely(!ghcomp_deque_push(deque, task, room)))
            return false;
    }
    ghcomp_task_team_wake(team);
    return true;
}

/* The task will complete at some other time: its parent and its team must count it before any thread can complete
   it. */
static inline void count_in(struct ghcomp_member *self, struct ghcomp_task *task)
{
    struct ghcomp_team *team = self->team;
    task->traits |= GHCOMP_TASK_COUNTED | GHCOMP_TASK_CHILD;
    self->task->due++;
    ghcomp_store_relaxed(&self->created, ghcomp_load_relaxed(&self->created) + 1);
    if (team->size > 1 && ghcomp_unlikely(!ghcomp_task_team_used(team)))
        ghcomp_task_team_open(self);
}

/* Waits for the predecessors of a task that the thread then runs itself. */
static void await_ready(struct ghcomp_member *self, struct ghcomp_task *task)
{
    task->traits |= GHCOMP_TASK_AWAITED;
    task->due = 1;
    if (!ghcomp_depend_commit(self, task)) {
        ghcomp_pending_wait(self, &task->due, &task->reported);
        ghcomp_store_relaxed(&task->reported, 0u);
    }
    task->due = 0;
}

void ghcomp_task_depend(struct ghcomp_member *self, struct ghcomp_task *task, void **depend)
{
    task->traits |= GHCOMP_TASK_DEPENDENT;
    if (ghcomp_unlikely(task->traits & GHCOMP_TASK_OBSERVED) && !task->tool->created) {
        ghcomp_task_tell_create(self, task, 0);
        ghcomp_depend_tell_tool(task, depend);
    }
    ghcomp_depend_register(self, task, depend);
}

/* A team of one defers tasks only to bound the stack (and when they had to wait): now there is room for them. */
static inline void run_put_off(struct ghcomp_member *self)
{
    struct ghcomp_task *task;
    if (ghcomp_likely(ghcomp_load_relaxed(&self->deque) == NULL || self->team->size > 1))
        return;
    while ((task = ghcomp_task_take_descendant(self)) != NULL)
        ghcomp_task_run(self, task);
}

static inline void run_here(struct ghcomp_member *self, struct ghcomp_task *task)
{
    ghcomp_task_run(self, task);
    if (depth_of_current(self) == 0)
        run_put_off(self);
}

/* Places or runs a ready task that count_in has counted. */
static void place(struct ghcomp_member *self, struct ghcomp_task *task)
{
    uint32_t depth = depth_of_current(self);
    if (self->team->size > 1 || !ghcomp_task_may_nest(self, depth, GHCOMP_TASK_NESTED_ALONE)) {
        if (push(self, task, false))
            return;
        if (!ghcomp_settings.task_throttling || !ghcomp_task_may_nest(self, depth, GHCOMP_TASK_NESTED)) {
            ghcomp_task_overflow_put(self, task);
            return;
        }
    }
    run_here(self, task);
}

static inline void made(struct ghcomp_task *task)
{
    if (ghcomp_unlikely(task->traits & GHCOMP_TASK_RACES))
        ghcomp_races_task_made(task);
}

bool ghcomp_task_defer(struct ghcomp_member *self, struct ghcomp_task *task)
{
    made(task);
    count_in(self, task);
    return push(self, task, false);
}

void ghcomp_task_encountered(struct ghcomp_member *self, struct ghcomp_task *task)
{
    made(task);
    count_in(self, task);
}

static __attribute__((noinline, cold)) void submit_seen(struct ghcomp_member *self, struct ghcomp_task *task)
{
    made(task);
    if (task->traits & GHCOMP_TASK_OBSERVED)
        ghcomp_task_tell_create(self, task, 0);
}

void ghcomp_task_submit(struct ghcomp_member *self, struct ghcomp_task *task)
{
    if (ghcomp_unlikely(task->traits & GHCOMP_TASK_SEEN))
        submit_seen(self, task);
    bool undeferred = (task->traits & GHCOMP_TASK_UNDEFERRED) || self->task->final;
    if (ghcomp_unlikely(undeferred)) {
        task->traits |= GHCOMP_TASK_UNDEFERRED;
        if (task->traits & GHCOMP_TASK_DEPENDENT)
            await_ready(self, task);
        ghcomp_task_run(self, task);
        return;
    }
    if (ghcomp_unlikely(task->traits & GHCOMP_TASK_DEPENDENT)) {
        count_in(self, task);
        if (!ghcomp_depend_commit(self, task)) {
            ghcomp_task_throttle(self);
            return;
        }
    } else if (task->traits & GHCOMP_TASK_DETACHABLE) {
        count_in(self, task);
    } else if (ghcomp_task_runs_now(self, true) && task->priority == 0) {
        run_here(self, task);
        return;
    } else {
        count_in(self, task);
    }
    place(self, task);
}

/* Most such tasks have no children: then no other thread learns of them, and the struct only serves as the current
   task. The reference to the parent is taken afterwards, if there were children. (No call comes before the task's
   function, so that fewer registers need saving.) */
static void refill_and_run_now(struct ghcomp_member *self, void (*fn)(void *), void *data, unsigned flags);

void ghcomp_task_run_now(struct ghcomp_member *self, void (*fn)(void *), void *data, unsigned flags)
{
    struct ghcomp_task *parent = self->task;
    struct ghcomp_task *task = ghcomp_task_heap_have(self->thread);
    if (ghcomp_unlikely(task == NULL)) {
        refill_and_run_now(self, fn, data, flags);
        return;
    }
    struct ghcomp_deque *deque = ghcomp_load_relaxed(&self->deque);
    task->traits = 0;
    start_in(task, parent, flags);
    task->executor = self;
    task->mark = deque != NULL ? ghcomp_load_relaxed(&deque->bottom) : 0;
    task->overflow_mark = self->overflow_count;
    self->task = task;
    fn(data);
    self->task = parent;
    if (ghcomp_likely(task->living == 0)) {
        ghcomp_task_heap_put_own(task);
    } else {
        hold_up(parent, task);
        end(self, self->team, task, 0);
    }
    if (ghcomp_load_relaxed(&parent->depth) == 0)
        run_put_off(self);
}

static __attribute__((noinline, cold)) void refill_and_run_now(struct ghcomp_member *self, void (*fn)(void *),
                                                               void *data, unsigned flags)
{
    ghcomp_task_heap_refill(self->thread);
    ghcomp_task_run_now(self, fn, data, flags);
}

void ghcomp_task_ready(struct ghcomp_member *self, struct ghcomp_team *team, struct ghcomp_task *task)
{
    if (task->traits & GHCOMP_TASK_AWAITED) {
        ghcomp_pending_report(team, &task->reported);
    } else if (self == NULL) {
        ghcomp_task_queue_put(team, task);
        ghcomp_eventcount_notify(team);
    } else if (!push(self, task, true)) {
        if (task->priority > 0) {
            ghcomp_task_queue_put(team, task);
            ghcomp_task_team_wake(team);
        } else {
            ghcomp_task_overflow_put(self, task);
        }
    }
}
