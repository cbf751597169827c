/* Explicit tasks with Haskell bodies.
 *
 * A task's body is an IO action. It runs in one of these places:
 *   - At once, in the Haskell thread that makes the task, when core decides so (in a team of one, in a final task, when
 *     enough tasks are ready already): Haskell runs the action between ghcomp_hs_task_begin and _finish. No slot, no
 *     entry. In a team of one, tasks with dependences can run so, too (ghcomp_hs_task_first).
 *   - Deferred, the action held by a slot (slots.c). A member that is in Haskell takes the task (ghcomp_hs_task_take,
 *     or from a wait that returns early with it) and runs it in its current Haskell thread: no entry either.
 *   - A member that waits in C (in a join, or in a construct of C code that a body calls) runs it by an entry of its
 *     own (ghcomp_hs_run_task), which costs some hundred nanoseconds.
 *
 * The three steps that core expects (ghcomp_task_start, the body, ghcomp_task_finish) come in this order, and nest: a
 * Haskell thread that is bound to a member's OS thread starts and finishes tasks as that thread itself would. An unsafe
 * call must never run a task, because it could not enter Haskell. So the functions for unsafe calls only defer tasks
 * and take them.
 *
 * In a cancelled region no body starts any more. The action handles its own exceptions.
 *
 * Called by OpenMP.Internal.Task and Future. Covered by test/hs/library/{TaskTest,FutureTest}.hs.
 */
#include "haskell/task.h"

#include <stdlib.h>

#include "HsFFI.h"
#include "base/check.h"
#include "core/cpu/cpu_account.h"
#include "core/cpu/wait.h"
#include "core/sync/eventcount.h"
#include "core/sync/task_team.h"
#include "core/task/taskgroup.h"
#include "core/tool/tool.h"
#include "haskell/critical.h"
#include "haskell/enter.h"

#define EXPORT __attribute__((visibility("default")))

enum { MOST_DEPENDENCES_ON_STACK = 16 };

/* The calling thread's member if it may make tasks of the region and wait for them: in an implicit or an explicit task
   of the region's team. */
static inline struct ghcomp_member *member_or_task(const struct ghcomp_hs_region *region)
{
    struct ghcomp_member *self = ghcomp_self_member;
    return self != NULL && self->team == region->team ? self : NULL;
}

/* Starts a task. True: its body must run. The tool gets the frame at which Haskell code called into C as the task's
   frame. */
static inline bool start(struct ghcomp_member *self, struct ghcomp_task *task, void *frame)
{
    struct ghcomp_hs_task *body = task->data;
    body->task = task;
    body->before = self->task;
    bool runs = ghcomp_task_start(self, task);
    if (ghcomp_unlikely(task->traits & GHCOMP_TASK_REPORTED))
        ghcomp_tool_runs_in(self, frame);
    return runs;
}

struct ghcomp_hs_task *ghcomp_hs_task_start(struct ghcomp_member *self, struct ghcomp_task *task, void *frame)
{
    struct ghcomp_hs_task *body = task->data;
    if (start(self, task, frame) && ghcomp_load_relaxed(&body->region->cancelled) == 0)
        return body;
    hs_free_stable_ptr(body->closure);
    ghcomp_task_finish(self, task, body->before);
    return NULL;
}

void ghcomp_hs_run_task(void *data)
{
    struct ghcomp_hs_task *body = data;
    struct ghcomp_hs_region *region = body->region;
    struct ghcomp_member *self = ghcomp_self();
    if (ghcomp_load_relaxed(&region->cancelled) != 0) {
        hs_free_stable_ptr(body->closure);
        return;
    }
    struct ghcomp_entrance entrance = ghcomp_entrance_of(self, (int)region->request->origin);
    ghcomp_entrance_claim(&entrance);
    struct ghcomp_hs_here outer = ghcomp_hs_go_inside(region);
    bool in_haskell = ghcomp_cpu_account_in_haskell(true);
    enum ghcomp_entry entry = ghcomp_enter(region->request->run_task, body, self->tid, &entrance);
    ghcomp_cpu_account_in_haskell(in_haskell);
    ghcomp_hs_here = outer;
    if (entry == GHCOMP_ENTRY_KILLED) {
        ghcomp_store_relaxed(&region->killed, 1u);
        ghcomp_hs_cancel(region);
    }
}

static struct ghcomp_task *new_task(struct ghcomp_member *self, struct ghcomp_hs_region *region, void *closure,
                                    unsigned flags)
{
    struct ghcomp_task *task = ghcomp_task_new(self, ghcomp_hs_run_task, sizeof(struct ghcomp_hs_task), 8, flags);
    *(struct ghcomp_hs_task *)task->data = (struct ghcomp_hs_task){.closure = closure, .region = region};
    /* Makes core call the task's function in any case: with cancel-var on it would drop the tasks of a cancelled region
       without a call, and leak the closure. */
    ghcomp_task_constructed(task);
    return task;
}

/* --- unsafe ------------------------------------------------------------------------------------------------------- */

/* Whether a task without clauses that the caller makes now runs at once: 1, 0 or NOT_A_MEMBER. */
EXPORT int ghcomp_hs_task_place(const struct ghcomp_hs_region *region)
{
    struct ghcomp_member *self = member_or_task(region);
    if (self == NULL)
        return GHCOMP_HS_NOT_A_MEMBER;
    return self->team->size == 1 || ghcomp_task_runs_now(self, true);
}

/* Makes and starts a task that the caller runs at once. */
EXPORT struct ghcomp_hs_task *ghcomp_hs_task_begin(struct ghcomp_hs_region *region)
{
    GHCOMP_TOOL_SITE();
    struct ghcomp_member *self = ghcomp_self_member;
    struct ghcomp_task *task = new_task(self, region, NULL, 0);
    if (ghcomp_unlikely(task->traits & GHCOMP_TASK_REPORTED))
        ghcomp_task_report_create(self, task, 0);
    start(self, task, __builtin_dwarf_cfa());
    return task->data;
}

/* Defers a task. NULL: done, and others can take it. Otherwise there was no room, and the caller must run it at once
   and free its closure. */
EXPORT struct ghcomp_hs_task *ghcomp_hs_task_defer(struct ghcomp_hs_region *region, void *closure)
{
    GHCOMP_TOOL_SITE();
    struct ghcomp_member *self = ghcomp_self_member;
    struct ghcomp_task *task = new_task(self, region, closure, 0);
    if (ghcomp_unlikely(task->traits & GHCOMP_TASK_REPORTED))
        ghcomp_task_report_create(self, task, 0);
    if (ghcomp_task_defer(self, task))
        return NULL;
    start(self, task, __builtin_dwarf_cfa());
    return task->data;
}

/* Completes a task whose body has run. */
EXPORT void ghcomp_hs_task_finish(struct ghcomp_hs_task *body)
{
    ghcomp_task_finish(ghcomp_self_member, body->task, body->before);
}

/* A task for the caller to run, or NULL. `any` (at a barrier): any task; otherwise one that descends from the caller's
   current task. A task of C code ends the search: it is stored in *foreign, for ghcomp_hs_task_run_foreign. */
EXPORT struct ghcomp_hs_task *ghcomp_hs_task_take(const struct ghcomp_hs_region *region, bool any,
                                                  struct ghcomp_task **foreign)
{
    struct ghcomp_member *self = member_or_task(region);
    struct ghcomp_task *task;
    *foreign = NULL;
    while (self != NULL && (task = any ? ghcomp_task_take_any(self) : ghcomp_task_take_descendant(self)) != NULL) {
        if (task->fn != ghcomp_hs_run_task) {
            *foreign = task;
            return NULL;
        }
        struct ghcomp_hs_task *body = ghcomp_hs_task_start(self, task, __builtin_dwarf_cfa());
        if (body != NULL)
            return body;
    }
    return NULL;
}

EXPORT bool ghcomp_hs_taskgroup_start(const struct ghcomp_hs_region *region)
{
    struct ghcomp_member *self = member_or_task(region);
    if (self == NULL)
        return false;
    ghcomp_taskgroup_start(self);
    return true;
}

/* Whether a taskwait would have nothing to wait for: 1, 0 or NOT_A_MEMBER. */
EXPORT int ghcomp_hs_taskwait_over(const struct ghcomp_hs_region *region)
{
    struct ghcomp_member *self = member_or_task(region);
    if (self == NULL)
        return GHCOMP_HS_NOT_A_MEMBER;
    const struct ghcomp_task *task = self->task;
    return task->table == NULL && ghcomp_pending_empty(&task->due, ghcomp_load_acquire(&task->reported));
}

/* Whether a task with dependences that the caller makes now can run at once, because no task that it could depend on is
   incomplete. This holds in a team of one if the current task has made no task whose dependences core orders, and all
   its children are complete (C code's may be detached). With an observer, to which dependences are reported, core
   always orders them. */
EXPORT int ghcomp_hs_task_first(const struct ghcomp_hs_region *region)
{
    int over = ghcomp_hs_taskwait_over(region);
    if (over <= 0)
        return over;
    return ghcomp_self_member->team->size == 1 && (ghcomp_observers_now() & GHCOMP_OBSERVE_HOOKS) == 0;
}

/* --- safe --------------------------------------------------------------------------------------------------------- */

/* Runs a task of C code that ghcomp_hs_task_take has stored. */
EXPORT void ghcomp_hs_task_run_foreign(struct ghcomp_task *task)
{
    bool in_haskell = ghcomp_cpu_account_in_haskell(false);
    ghcomp_task_run(ghcomp_self_member, task);
    ghcomp_cpu_account_in_haskell(in_haskell);
}

static int await(const struct ghcomp_hs_region *region, struct ghcomp_hs_wait *wait, void *frame,
                 bool (*paused)(struct ghcomp_member *, struct ghcomp_wait_pause *))
{
    struct ghcomp_member *self = member_or_task(region);
    if (self == NULL)
        return GHCOMP_HS_NOT_A_MEMBER;
    wait->pause.fn = ghcomp_hs_run_task;
    wait->found = NULL;
    bool in_haskell = ghcomp_cpu_account_in_haskell(false);
    while (wait->found == NULL && !paused(self, &wait->pause))
        wait->found = ghcomp_hs_task_start(self, wait->pause.task, frame);
    ghcomp_cpu_account_in_haskell(in_haskell);
    return wait->found != NULL ? GHCOMP_HS_FOUND : GHCOMP_HS_DONE;
}

/* taskwait, and the end of the innermost taskgroup. Results and `wait` as for ghcomp_hs_barrier. */
EXPORT int ghcomp_hs_taskwait(const struct ghcomp_hs_region *region, struct ghcomp_hs_wait *wait)
{
    return await(region, wait, __builtin_dwarf_cfa(), ghcomp_task_wait_paused);
}

EXPORT int ghcomp_hs_taskgroup_end(const struct ghcomp_hs_region *region, struct ghcomp_hs_wait *wait)
{
    return await(region, wait, __builtin_dwarf_cfa(), ghcomp_taskgroup_end_paused);
}

EXPORT int ghcomp_hs_taskyield(const struct ghcomp_hs_region *region)
{
    struct ghcomp_member *self = member_or_task(region);
    if (self == NULL)
        return GHCOMP_HS_NOT_A_MEMBER;
    ghcomp_task_yield(self);
    return GHCOMP_HS_DONE;
}

/* Ends the wait of ghcomp_hs_await for this word. For an unsafe call, in a task of the region. */
EXPORT void ghcomp_hs_resolve(struct ghcomp_hs_region *region, _Atomic uint32_t *resolved)
{
    ghcomp_store_release(resolved, 1u); /* pairs with the load in ghcomp_hs_await */
    ghcomp_eventcount_notify(region->team);
}

/* Waits until `resolved` is not 0, in an eventcount wait (eventcount.c), and runs descendants of the current task
   meanwhile. DONE, CANCELLED or FOUND: wait->found is a task for the caller to run, or NULL when the wait has lasted so
   long that the caller should check whether to continue at all; then it calls again. */
static int await_resolved(struct ghcomp_member *self, struct ghcomp_hs_region *region, struct ghcomp_hs_wait *wait,
                          _Atomic uint32_t *resolved, void *frame)
{
    enum { SLEEP_NS = 10000000 };
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_TEAM);
    struct ghcomp_eventcount_wait sleep = {0};
    for (;;) {
        uint32_t eventcount = ghcomp_load_acquire(&self->team->barrier.eventcount);
        if (ghcomp_load_acquire(resolved) != 0)
            return GHCOMP_HS_DONE;
        if (ghcomp_load_relaxed(&region->cancelled) != 0)
            return GHCOMP_HS_CANCELLED;
        struct ghcomp_task *task = ghcomp_task_take_descendant(self);
        if (task != NULL && task->fn == ghcomp_hs_run_task) {
            if ((wait->found = ghcomp_hs_task_start(self, task, frame)) != NULL)
                return GHCOMP_HS_FOUND;
            sleep.announced = false;
        } else if (ghcomp_task_run_if_any(self, task, false, &spin)) {
            sleep.announced = false;
        } else if (!ghcomp_spin_again(&spin) && ghcomp_eventcount_prepare(self, self->team, eventcount, &sleep)) {
            ghcomp_wait_park_for(&self->team->barrier.eventcount, eventcount, SLEEP_NS);
            ghcomp_task_team_woken(self, self->team);
            wait->found = NULL;
            return GHCOMP_HS_FOUND;
        }
    }
}

EXPORT int ghcomp_hs_await(struct ghcomp_hs_region *region, struct ghcomp_hs_wait *wait, _Atomic uint32_t *resolved)
{
    struct ghcomp_member *self = member_or_task(region);
    if (self == NULL)
        return GHCOMP_HS_NOT_A_MEMBER;
    bool in_haskell = ghcomp_cpu_account_in_haskell(false);
    int outcome = await_resolved(self, region, wait, resolved, __builtin_dwarf_cfa());
    ghcomp_cpu_account_in_haskell(in_haskell);
    ghcomp_task_team_wait_end(self);
    return outcome;
}

struct dependence {
    uintptr_t address, kind;
};

/* Makes a task with clauses. `dependences` are `count` pairs of an address and a kind (the values of omp_depend_t
   objects). The task may have run when this returns. */
EXPORT int ghcomp_hs_task_clauses(struct ghcomp_hs_region *region, void *closure, struct dependence *dependences,
                                  int count, int priority, bool final, bool deferred)
{
    GHCOMP_TOOL_SITE();
    struct ghcomp_member *self = member_or_task(region);
    if (self == NULL)
        return GHCOMP_HS_NOT_A_MEMBER;
    struct ghcomp_task *task = new_task(self, region, closure, final ? GHCOMP_TASK_FLAG_FINAL : 0);
    if (!deferred)
        ghcomp_task_undefer(task);
    ghcomp_task_set_priority(task, priority);
    if (count > 0) {
        /* The ABI's list in its second form, here with depend objects only. It is read only during the call. */
        enum { HEAD = 5 };
        void *small[HEAD + MOST_DEPENDENCES_ON_STACK], **list = small;
        if (count > MOST_DEPENDENCES_ON_STACK)
            list = ghcomp_alloc((HEAD + (size_t)count) * sizeof *list);
        list[0] = NULL;
        list[1] = (void *)(uintptr_t)count;
        list[2] = list[3] = list[4] = NULL;
        for (int i = 0; i < count; i++)
            list[HEAD + i] = &dependences[i];
        ghcomp_task_depend(self, task, list);
        if (list != small)
            free(list);
    }
    ghcomp_task_submit(self, task);
    return GHCOMP_HS_DONE;
}
