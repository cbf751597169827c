/* Creating explicit tasks. Their depend clauses are in task_depend.c, running and completing them in task_run.c, waits
 * for them in task_wait.c; how long their structs live, in task_life.h.
 *
 * Where a task runs. The generating thread runs it at once when its if clause is false, when the generating task is
 * final, in a team of one, and when the thread's deque is full; in the last two cases only down to a depth
 * (GHCOMP_TASK_NESTED_ALONE, GHCOMP_TASK_NESTED). The full deque bounds memory, since a producer that outruns its
 * consumers runs its tasks itself; and few tiny tasks may wait, because running them at once is cheaper
 * (ghcomp_task_gauge). Otherwise a task goes to the bottom of the thread's deque, from where the thread pops the
 * youngest and others steal the oldest; tasks with a priority go to the team's queue. KMP_ENABLE_TASK_THROTTLING=0 lets
 * tasks wait without bound, beyond the deque in the thread's list (task_overflow.h). Tasks with threadset(omp_pool) go
 * to the team's queue, in a team of one, too (task_threadset.c). A task with unmet dependences is in neither until
 * taskdep.c makes it ready. How a task runs at once is in task_now.h.
 *
 * Called by abi/gomp/gomp_task.c, abi/kmp/kmp_task.c, taskloop.c, target.c, haskell/task.c. Covered by
 * test/unit/task.c, test/conformance/{task,taskwait,detach}, test/stress/tasks.sh.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "core/cpu/wait.h"
#include "core/sync/eventcount.h"
#include "core/sync/task_team.h"
#include "core/task/deque.h"
#include "core/task/task_defer.h"
#include "core/task/task_graph.h"
#include "core/task/task_heap.h"
#include "core/task/task_life.h"
#include "core/task/task_now.h"
#include "core/task/task_overflow.h"
#include "core/task/taskdep.h"
#include "core/task/taskgroup.h"
#include "core/tool/tool_filter.h"
#include "core/tsan/races.h"

/* Takes the task's reference to its parent, and counts the task in the taskgroup if the parent has opened that. By the
   parent's executor. */
static inline void hold_up(struct ghcomp_task *parent, struct ghcomp_task *task)
{
    ghcomp_task_add_living(parent);
    if (ghcomp_unlikely(task->group != NULL) && task->group->opener == parent) {
        task->traits |= GHCOMP_TASK_TOP;
        task->group->due++;
    }
}

static void report_races(struct ghcomp_member *self, struct ghcomp_task *task, size_t bytes, size_t align,
                         unsigned flags)
{
    task->traits |= GHCOMP_TASK_RACES;
    ghcomp_races_task_new(task, self->team, self->task->group);
    if (bytes > 0 && !(task->traits & GHCOMP_TASK_BIG))
        ghcomp_task_heap_big(task, bytes, align, flags);
}

static void observe(struct ghcomp_member *self, struct ghcomp_task *task, size_t bytes, unsigned flags)
{
    task->traits |= GHCOMP_TASK_REPORTED;
    ghcomp_tool_task_new(self, task, bytes,
                         (flags & GHCOMP_TASK_FLAG_UNTIED ? ompt_task_untied : 0) |
                             (task->final ? ompt_task_final : 0) |
                             (flags & GHCOMP_TASK_FLAG_MERGEABLE ? ompt_task_mergeable : 0));
}

void ghcomp_task_observe(struct ghcomp_member *self, struct ghcomp_task *task, size_t bytes, unsigned flags)
{
    task->traits &= (uint16_t)~GHCOMP_TASK_FILTERED;
    observe(self, task, bytes, flags);
}

/* Marks a task that an eventlog or a recorded graph is to contain. */
static __attribute__((noinline, cold)) void mark_logged(struct ghcomp_member *self, struct ghcomp_task *task,
                                                        size_t bytes, size_t align, unsigned flags, uint32_t observers)
{
    if (observers & GHCOMP_OBSERVE_LOG)
        task->traits |= GHCOMP_TASK_LOGGED;
    if ((observers & GHCOMP_OBSERVE_GRAPH) && ghcomp_graph_task_new(self, task, bytes, align, flags))
        task->traits |= GHCOMP_TASK_LOGGED;
}

static inline __attribute__((always_inline)) struct ghcomp_task *
make(struct ghcomp_member *self, void (*fn)(void *), size_t bytes, size_t align, unsigned flags, uint32_t observers)
{
    struct ghcomp_task *parent = self->task;
    struct ghcomp_task *task;
    if (ghcomp_likely(bytes <= GHCOMP_TASK_ROOM && align <= 16))
        task = ghcomp_task_heap_get(self->thread);
    else if (ghcomp_likely(bytes <= GHCOMP_TASK_LARGE_ROOM && align <= 16))
        task = ghcomp_task_heap_get_large(self->thread);
    else
        task = ghcomp_task_heap_get_other(self->thread, bytes, align, flags);
    if (ghcomp_races_on(observers))
        report_races(self, task, bytes, align, flags);
    task->fn = fn;
    task->priority = 0;
    ghcomp_task_start_in(task, parent, flags);
    hold_up(parent, task);
    if (ghcomp_unlikely(observers & (GHCOMP_OBSERVE_LOG | GHCOMP_OBSERVE_GRAPH)))
        mark_logged(self, task, bytes, align, flags, observers);
    if (ghcomp_likely(!(observers & GHCOMP_OBSERVE_TOOL)))
        return task;
    if (flags & GHCOMP_TASK_FLAG_FILTERED)
        task->traits |= GHCOMP_TASK_FILTERED;
    else
        observe(self, task, bytes, flags);
    return task;
}

static __attribute__((noinline, cold)) struct ghcomp_task *
new_observed(struct ghcomp_member *self, void (*fn)(void *), size_t bytes, size_t align, unsigned flags)
{
    return make(self, fn, bytes, align, flags, ghcomp_observers_now());
}

struct ghcomp_task *ghcomp_task_new(struct ghcomp_member *self, void (*fn)(void *), size_t bytes, size_t align,
                                    unsigned flags)
{
    if (ghcomp_observed_now())
        return new_observed(self, fn, bytes, align, flags);
    return make(self, fn, bytes, align, flags, 0);
}

struct ghcomp_task *ghcomp_task_new_fast(struct ghcomp_member *self, void (*fn)(void *), size_t bytes, size_t align,
                                         unsigned flags)
{
    return make(self, fn, bytes, align, flags, 0);
}

void ghcomp_task_drop(struct ghcomp_member *self, struct ghcomp_task *task)
{
    ghcomp_task_release(self, self->team, task);
}

static struct ghcomp_deque *make_deque(uint32_t room, struct ghcomp_deque *older)
{
    uint32_t slots = GHCOMP_TASK_ROOM_LEAST;
    while (slots < room)
        slots *= 2;
    struct ghcomp_deque *deque = ghcomp_alloc_lines(sizeof *deque + slots * sizeof deque->slot[0]);
    deque->mask = slots - 1;
    deque->older = older;
    return deque;
}

static __attribute__((noinline)) struct ghcomp_deque *new_deque(struct ghcomp_member *self)
{
    struct ghcomp_deque *deque = make_deque(self->team->task_room.any, NULL);
    ghcomp_store_release(&self->deque, deque);
    return deque;
}

/* For a member in no region, whose deque is empty; a helper of its last region may still read the old deque. The larger
   deque continues the old one's positions, since `later` and `mark` hold some. The release pairs with the acquire of
   thieves. */
void ghcomp_task_fit_deque(struct ghcomp_member *member, uint32_t room)
{
    struct ghcomp_deque *deque = ghcomp_load_relaxed(&member->deque);
    if (deque == NULL || deque->mask >= room - 1)
        return;
    struct ghcomp_deque *larger = make_deque(room, deque);
    larger->tiny = deque->tiny;
    larger->narrow = deque->narrow;
    larger->seen_top = ghcomp_load_relaxed(&deque->bottom);
    ghcomp_store_relaxed(&larger->bottom, larger->seen_top);
    ghcomp_store_relaxed(&larger->top, larger->seen_top);
    ghcomp_store_release(&member->deque, larger);
}

void ghcomp_task_free_deque(struct ghcomp_member *member)
{
    struct ghcomp_deque *deque = ghcomp_load_relaxed(&member->deque);
    while (deque != NULL) {
        struct ghcomp_deque *older = deque->older;
        free(deque);
        deque = older;
    }
}

static inline uint32_t depth_of_current(const struct ghcomp_member *self)
{
    return ghcomp_load_relaxed(&self->task->depth);
}

/* Puts a ready task where the team finds it; false: no room. `forced`: the limit on waiting tasks does not apply: the
   deque takes as many as it has slots. */
static inline bool push(struct ghcomp_member *self, struct ghcomp_task *task, bool forced)
{
    struct ghcomp_team *team = self->team;
    if (ghcomp_unlikely(task->priority > 0)) {
        if (team->size == 1 || ghcomp_task_queue_length(team) >= GHCOMP_TASK_QUEUED_MOST * team->size)
            return false;
        ghcomp_task_queue_put(team, task);
    } else {
        struct ghcomp_deque *deque = ghcomp_load_relaxed(&self->deque);
        if (ghcomp_unlikely(deque == NULL)) {
            if (ghcomp_agent(self)) { /* for the members */
                ghcomp_task_queue_put(team, task);
                ghcomp_task_team_wake(team);
                return true;
            }
            deque = new_deque(self);
        }
        uint32_t room = forced ? deque->mask + 1 : ghcomp_task_limit(self, deque);
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

/* Whether the member has a ready task besides those that ghcomp_task_submit_later keeps for a task scheduling point. */
static bool has_put_off(struct ghcomp_member *self)
{
    const struct ghcomp_deque *deque = ghcomp_load_relaxed(&self->deque);
    return (int32_t)(ghcomp_load_relaxed(&deque->bottom) - self->later) > 0 || self->overflow != NULL ||
           ghcomp_task_queue_used(self->team);
}

void ghcomp_task_run_put_off(struct ghcomp_member *self)
{
    struct ghcomp_task *task;
    while (has_put_off(self) && (task = ghcomp_task_take_descendant(self)) != NULL)
        ghcomp_task_run(self, task);
    /* Each task that empties the deque leaves its bottom higher, and `later` must not fall behind. */
    const struct ghcomp_deque *deque = ghcomp_load_relaxed(&self->deque);
    if (ghcomp_load_relaxed(&deque->bottom) == ghcomp_load_relaxed(&deque->top))
        self->later = ghcomp_load_relaxed(&deque->bottom);
}

static inline uint32_t bottom_of(struct ghcomp_member *self)
{
    const struct ghcomp_deque *deque = ghcomp_load_relaxed(&self->deque);
    return deque != NULL ? ghcomp_load_relaxed(&deque->bottom) : 0;
}

static inline void run_here(struct ghcomp_member *self, struct ghcomp_task *task)
{
    ghcomp_task_run(self, task);
    ghcomp_task_after(self, self->task);
}

/* Keeps a ready task that the member cannot run now. No thread searches a free agent's list after its task. */
static void put_aside(struct ghcomp_member *self, struct ghcomp_task *task)
{
    if (ghcomp_likely(!ghcomp_agent(self))) {
        ghcomp_task_overflow_put(self, task);
        return;
    }
    ghcomp_task_queue_put(self->team, task);
    ghcomp_task_team_wake(self->team);
}

/* Places or runs a ready task that count_in has counted. */
static void place(struct ghcomp_member *self, struct ghcomp_task *task)
{
    uint32_t depth = depth_of_current(self);
    if (self->team->size > 1 || !ghcomp_task_may_nest(self, depth, GHCOMP_TASK_NESTED_ALONE)) {
        if (push(self, task, false))
            return;
        if (!ghcomp_settings.task_throttling || !ghcomp_task_may_nest(self, depth, GHCOMP_TASK_NESTED)) {
            put_aside(self, task);
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

/* Most tasks have a few words of data. */
static inline void copy(void *to, const void *from, size_t bytes)
{
    enum { WORD = sizeof(uint64_t) };
    char *into = to;
    const char *of = from;
    switch (bytes) {
    case 4 * WORD:
        memcpy(into + 3 * WORD, of + 3 * WORD, WORD); /* fall through */
    case 3 * WORD:
        memcpy(into + 2 * WORD, of + 2 * WORD, WORD); /* fall through */
    case 2 * WORD:
        memcpy(into + WORD, of + WORD, WORD); /* fall through */
    case WORD:
        memcpy(into, of, WORD); /* fall through */
    case 0:
        return;
    default:
        memcpy(into, of, bytes);
    }
}

void ghcomp_task_defer_fast(void (*fn)(void *), void *data, struct ghcomp_member *self, size_t bytes, size_t align,
                            unsigned flags)
{
    struct ghcomp_deque *deque = ghcomp_load_relaxed(&self->deque);
    if (deque != NULL && self->team->size > 1 && ghcomp_task_full(self, deque)) {
        ghcomp_task_run_now(fn, data, self, flags);
        return;
    }
    struct ghcomp_task *task = make(self, fn, bytes, align, flags, 0);
    if (ghcomp_tool_on()) /* by credit */
        task->traits |= GHCOMP_TASK_FILTERED;
    copy(task->data, data, bytes);
    count_in(self, task);
    place(self, task);
}

/* Counts in a task with dependences, and places it if it is ready. */
static inline void submit_dependent(struct ghcomp_member *self, struct ghcomp_task *task)
{
    count_in(self, task);
    if (ghcomp_depend_commit(self, task))
        place(self, task);
    else
        ghcomp_task_throttle(self);
}

void ghcomp_task_defer_dependent(void (*fn)(void *), void *data, struct ghcomp_member *self, size_t bytes, size_t align,
                                 unsigned flags, void **depend)
{
    struct ghcomp_task *task = make(self, fn, bytes, align, flags, 0);
    copy(task->data, data, bytes);
    task->traits |= GHCOMP_TASK_DEPENDENT | GHCOMP_TASK_IN_ORDER;
    ghcomp_depend_register(self, task, depend);
    submit_dependent(self, task);
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

static __attribute__((noinline, cold)) void submit_observed(struct ghcomp_member *self, struct ghcomp_task *task)
{
    ghcomp_graph_task_submitted(self, task); /* reads its data, so before these are released to the executor */
    made(task);
    if (task->traits & GHCOMP_TASK_REPORTED)
        ghcomp_task_report_create(self, task, 0);
}

/* Submits a task that free agents may run, or one that a free agent leaves to the team's members. */
static void submit_wide(struct ghcomp_member *self, struct ghcomp_task *task)
{
    count_in(self, task);
    if ((task->traits & GHCOMP_TASK_DEPENDENT) && !ghcomp_depend_commit(self, task))
        ghcomp_task_throttle(self);
    else if ((task = ghcomp_threadset_place(self, task)) != NULL)
        run_here(self, task);
}

static inline bool is_included(const struct ghcomp_member *self, const struct ghcomp_task *task)
{
    return (task->traits & GHCOMP_TASK_UNDEFERRED) || self->task->final;
}

static __attribute__((noinline)) void submit_special(struct ghcomp_member *self, struct ghcomp_task *task)
{
    bool wide = (task->traits & GHCOMP_TASK_THREADSET) && !is_included(self, task) &&
                ghcomp_threadset_applies(self, task);
    if (task->traits & GHCOMP_TASK_OBSERVED)
        submit_observed(self, task);
    if (is_included(self, task)) { /* now, perhaps: a free agent that records a graph runs the team's tasks itself */
        task->traits |= GHCOMP_TASK_UNDEFERRED;
        if (task->traits & GHCOMP_TASK_DEPENDENT)
            await_ready(self, task);
        ghcomp_task_run(self, task);
        return;
    }
    if (wide) {
        submit_wide(self, task);
    } else if (task->traits & GHCOMP_TASK_DEPENDENT) {
        submit_dependent(self, task);
    } else if (!(task->traits & GHCOMP_TASK_DETACHABLE) && ghcomp_task_runs_now(self, true) && task->priority == 0) {
        run_here(self, task);
    } else {
        count_in(self, task);
        place(self, task);
    }
}

void ghcomp_task_submit_included(struct ghcomp_member *self, struct ghcomp_task *task)
{
    if (task->traits & GHCOMP_TASK_OBSERVED)
        submit_observed(self, task);
    if (task->traits & GHCOMP_TASK_DEPENDENT)
        await_ready(self, task);
    count_in(self, task);
    run_here(self, task);
}

void ghcomp_task_submit(struct ghcomp_member *self, struct ghcomp_task *task)
{
    enum {
        SPECIAL = GHCOMP_TASK_OBSERVED | GHCOMP_TASK_UNDEFERRED | GHCOMP_TASK_DEPENDENT | GHCOMP_TASK_DETACHABLE |
                  GHCOMP_TASK_THREADSET
    };
    if (ghcomp_unlikely((task->traits & SPECIAL) != 0 || self->task->final)) {
        submit_special(self, task);
    } else if (ghcomp_task_runs_now(self, true) && task->priority == 0) {
        run_here(self, task);
    } else {
        count_in(self, task);
        place(self, task);
    }
}

/* Counts in a task whose construct is neither undeferred nor in a final task. True: it is ready. */
static bool enter(struct ghcomp_member *self, struct ghcomp_task *task)
{
    if (task->traits & GHCOMP_TASK_OBSERVED)
        submit_observed(self, task);
    count_in(self, task);
    if (!(task->traits & GHCOMP_TASK_DEPENDENT) || ghcomp_depend_commit(self, task))
        return true;
    ghcomp_task_throttle(self);
    return false;
}

/* The task, which is ready and counted, waits for a task scheduling point of the thread. */
static void put_later(struct ghcomp_member *self, struct ghcomp_task *task)
{
    if (self->team->size > 1) {
        place(self, task);
        return;
    }
    if (!push(self, task, true)) {
        run_here(self, task);
        return;
    }
    if (depth_of_current(self) == 0)
        self->later = bottom_of(self);
}

void ghcomp_task_submit_later(struct ghcomp_member *self, struct ghcomp_task *task)
{
    ghcomp_graph_refuse(self, "there is a target task");
    bool recorded = ghcomp_agent(self) && ghcomp_graph_records(self); /* it may have to run at once */
    if ((task->traits & GHCOMP_TASK_UNDEFERRED) || self->task->final || self->team->size > 1 || recorded)
        ghcomp_task_submit(self, task);
    else if (enter(self, task))
        put_later(self, task);
}

void ghcomp_task_later_begins(void)
{
    struct ghcomp_member *self = ghcomp_self_member;
    uint32_t bottom = bottom_of(self);
    if ((int32_t)(bottom - self->later) < 0)
        self->later = bottom;
}

void ghcomp_task_submit_aside(struct ghcomp_member *self, struct ghcomp_task *task)
{
    ghcomp_graph_refuse(self, "there is a target task");
    if ((task->traits & (GHCOMP_TASK_UNDEFERRED | GHCOMP_TASK_OBSERVED | GHCOMP_TASK_DETACHABLE)) ||
        self->task->final) {
        ghcomp_task_submit_later(self, task);
        return;
    }
    ghcomp_task_threadset(task, GHCOMP_THREADSET_TARGET);
    if (enter(self, task) && !ghcomp_aside_start(self, self->team, task))
        put_later(self, task);
}

void ghcomp_task_run_now(void (*fn)(void *), void *data, struct ghcomp_member *self, unsigned flags)
{
    ghcomp_task_run_now_inline(fn, data, self, flags);
}

void ghcomp_task_refill_and_run_now(void (*fn)(void *), void *data, struct ghcomp_member *self, unsigned flags)
{
    ghcomp_task_heap_refill(self->thread);
    ghcomp_task_run_now(fn, data, self, flags);
}

void ghcomp_task_end_with_children(struct ghcomp_member *self, struct ghcomp_task *parent, struct ghcomp_task *task)
{
    if (ghcomp_task_end_unreferenced(task))
        return;
    hold_up(parent, task);
    ghcomp_task_end(self, self->team, task, 0);
}

void ghcomp_task_ready(struct ghcomp_member *self, struct ghcomp_team *team, struct ghcomp_task *task)
{
    if (task->traits & GHCOMP_TASK_AWAITED) {
        ghcomp_pending_report(team, &task->reported);
    } else if ((task->traits & GHCOMP_TASK_THREADSET) && ghcomp_threadset_ready(self, team, task)) {
        return;
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
