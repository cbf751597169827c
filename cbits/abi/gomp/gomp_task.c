/* GOMP_task and the like: explicit tasks, taskwait, taskyield, taskgroup, events.
 * Tests: test/conformance/{task,taskwait,taskyield,taskgroup,depend,detach}. */
#include <string.h>

#include "abi/abi.h"
#include "abi/observed/taskgroup.h"
#include "abi/observed/taskwait.h"
#include "core/task/task_graph.h"
#include "core/task/task_now.h"
#include "core/task/taskdep.h"
#include "core/task/taskgroup.h"
#include "core/tool/tool_filter.h"

enum { MORE = GHCOMP_TASK_FLAG_DEPEND | GHCOMP_TASK_FLAG_DETACH | GHCOMP_TASK_FLAG_PRIORITY };
/* Bits of the observers' word with which ghcomp_task_fast must not be used. */
enum { NOT_FAST = GHCOMP_OBSERVE_HOOKS | GHCOMP_CANCELLABLE };
_Static_assert((MORE & (NOT_FAST | GHCOMP_OBSERVE_TRACE)) == 0, "GOMP_task tests flags and observers at once");

/* A task construct on the observed paths: the arguments of GOMP_task, and the site of the call. */
struct task_construct {
    void (*fn)(void *);
    void *data;
    void (*cpyfn)(void *, void *);
    size_t size, align;
    bool if_clause;
    unsigned flags;
    void **depend;
    int priority;
    void *detach;
    const void *return_address;
    void *frame;
};

static inline void copy_data(struct ghcomp_task *task, const struct task_construct *construct)
{
    if (ghcomp_unlikely(construct->cpyfn != NULL)) {
        construct->cpyfn(task->data, construct->data);
        ghcomp_task_constructed(task);
    } else {
        memcpy(task->data, construct->data, construct->size);
    }
}

/* Makes a task without dependences, event or priority: defers it, or runs it at once. */
static void make_task(const struct task_construct *construct)
{
    struct ghcomp_member *self = ghcomp_self();
    unsigned flags = construct->flags;
    if (ghcomp_task_refused(self))
        return;
    if (construct->cpyfn == NULL && !ghcomp_graph_records(self) &&
        (!ghcomp_tool_on() || ((flags & GHCOMP_TASK_FLAG_FILTERED) && ghcomp_tool_current_unreported(self))) &&
        ghcomp_task_runs_now(self, construct->if_clause)) {
        ghcomp_task_run_now(construct->fn, construct->data, self, flags);
        return;
    }
    struct ghcomp_task *task = ghcomp_task_new(self, construct->fn, construct->size, construct->align, flags);
    copy_data(task, construct);
    if (!construct->if_clause)
        ghcomp_task_undefer(task);
    ghcomp_task_submit(self, task);
}

/* Waits for the dependences of an undeferred task in its creator. A tool gets the events of clang's code, which has a
   call for this wait: a taskwait with the dependences, and a task without. False: no wait was made, because the task
   has a mutexinoutset and must be in that set while its code runs. */
static __attribute__((noinline, cold)) bool waited_observed(struct ghcomp_member *self, void **depend)
{
    if (ghcomp_depend_excludes(depend))
        return false;
    struct ghcomp_tool_site site = ghcomp_tool_take(self->thread);
    ghcomp_tool_note(site.return_address, site.frame, 0);
    ghcomp_task_wait_depend(self, depend);
    ghcomp_tool_note(site.return_address, site.frame, 0);
    return true;
}

/* Whether such a wait has replaced the dependences of the construct's task. */
static inline bool waited(struct ghcomp_member *self, const struct task_construct *construct)
{
    return !construct->if_clause && ghcomp_tool_on() && !(construct->flags & GHCOMP_TASK_FLAG_FILTERED) &&
           waited_observed(self, construct->depend);
}

static void make_special_task(const struct task_construct *construct)
{
    struct ghcomp_member *self = ghcomp_self();
    unsigned flags = construct->flags;
    if (ghcomp_task_refused(self))
        return;
    struct ghcomp_task *task = ghcomp_task_new(self, construct->fn, construct->size, construct->align, flags);
    if (flags & GHCOMP_TASK_FLAG_DETACH) {
        ghcomp_task_detachable(task);
        *(void **)construct->detach = task;
        if (construct->data != NULL)
            *(void **)construct->data = task;
    }
    copy_data(task, construct);
    if (!construct->if_clause)
        ghcomp_task_undefer(task);
    if (flags & GHCOMP_TASK_FLAG_PRIORITY)
        ghcomp_task_set_priority(task, construct->priority);
    if ((flags & GHCOMP_TASK_FLAG_DEPEND) && !waited(self, construct)) {
        task->traits |= GHCOMP_TASK_IN_ORDER;
        ghcomp_task_depend(self, task, construct->depend);
    }
    ghcomp_task_submit(self, task);
}

/* Whether a task with dependences, but without event and priority, depends on no task. False for a list that begins
   with NULL: it may have depend objects, which are checked where dependences are entered. */
static inline bool depends_on_none(const struct ghcomp_member *self, void **depend, bool if_clause)
{
    return depend[0] != NULL && ghcomp_task_depends_on_none(self, if_clause);
}

static bool is_filtered(const struct task_construct *construct)
{
    struct ghcomp_member *self = ghcomp_self();
    const void *address = construct->return_address;
    if (!ghcomp_tool_filters() || (construct->flags & GHCOMP_TASK_FLAG_DETACH) ||
        !(ghcomp_tool_filtered_by_credit(self, address) || ghcomp_tool_filtered_by_call(self, address)))
        return false;
    ghcomp_tool_use_credits(self);
    return true;
}

/* Marks the construct as filtered. If its dependences can have no effect, as on the path without a tool, drops them;
   then the task must run at once, so it becomes undeferred: a later check, from a deeper frame, might find too little
   stack for that. */
static void mark_filtered(struct task_construct *construct)
{
    struct ghcomp_member *self = ghcomp_self();
    unsigned special = (construct->flags | ghcomp_observers_now()) & (MORE | NOT_FAST);
    construct->flags |= GHCOMP_TASK_FLAG_FILTERED;
    if (special == (GHCOMP_TASK_FLAG_DEPEND | GHCOMP_OBSERVE_TOOL) && ghcomp_tool_current_unreported(self) &&
        depends_on_none(self, construct->depend, construct->if_clause)) {
        construct->flags &= ~(unsigned)GHCOMP_TASK_FLAG_DEPEND;
        construct->if_clause = false;
    }
}

static __attribute__((noinline, cold)) void encounter_observed(struct task_construct *construct)
{
    if (is_filtered(construct))
        mark_filtered(construct);
    else
        ghcomp_tool_note(construct->return_address, construct->frame, 0);
}

/* A construct that GOMP_task's fast path does not serve: it is observed, or the thread has no member yet, or the task
   has more than code and data. The address and the frame are those of GOMP_task's call, for a tool. */
static __attribute__((noinline)) void encounter_any(void (*fn)(void *), void *data, void (*cpyfn)(void *, void *),
                                                    long arg_size, long arg_align, bool if_clause, unsigned flags,
                                                    void **depend, int priority, void *detach,
                                                    const void *return_address, void *frame)
{
    struct task_construct construct = {fn,     data,     cpyfn,  (size_t)arg_size, (size_t)arg_align, if_clause, flags,
                                       depend, priority, detach, return_address,   frame};
    if (ghcomp_tool_on())
        encounter_observed(&construct);
    if (construct.flags & MORE)
        make_special_task(&construct);
    else
        make_task(&construct);
}

/* `depend`, `priority` and `detach` are valid only if their flags are set: older callers pass fewer arguments. The
   event's handle is stored in *detach and in the first word of the data.

   All other cases go through a call that must not become a jump (task_now.h). */
void GOMP_task(void (*fn)(void *), void *data, void (*cpyfn)(void *, void *), long arg_size, long arg_align,
               bool if_clause, unsigned flags, void **depend, int priority, void *detach)
{
    struct ghcomp_member *self = ghcomp_self_or_slow();
    if (ghcomp_likely(self != NULL && cpyfn == NULL)) {
        unsigned special = (flags | ghcomp_observers_now()) & (MORE | NOT_FAST);
        bool fast = ghcomp_likely(special == 0);
        if (ghcomp_unlikely(!fast)) {
            if (ghcomp_likely(special == GHCOMP_OBSERVE_TOOL)) /* a tool is the only observer, and may have a filter */
                fast = ghcomp_tool_filtered_inline(self, __builtin_return_address(0));
            else if (special == GHCOMP_TASK_FLAG_DEPEND)
                fast = depends_on_none(self, depend, if_clause);
            if (!fast && special == GHCOMP_TASK_FLAG_DEPEND && if_clause && !self->task->final) {
                ghcomp_task_defer_dependent(fn, data, self, (size_t)arg_size, (size_t)arg_align, flags, depend);
                __asm__ volatile("" ::: "memory"); /* no jump */
                return;
            }
        }
        if (fast) {
            ghcomp_task_encounter_fast(fn, data, self, (size_t)arg_size, (size_t)arg_align, if_clause, flags);
            __asm__ volatile("" ::: "memory"); /* no jump */
            return;
        }
    }
    encounter_any(fn, data, cpyfn, arg_size, arg_align, if_clause, flags, depend, priority, detach,
                  __builtin_return_address(0), __builtin_dwarf_cfa());
    __asm__ volatile("" ::: "memory"); /* no jump */
}

void GOMP_taskwait(void)
{
    struct ghcomp_member *self = ghcomp_self_fast;
    if (ghcomp_likely(self != NULL))
        ghcomp_task_wait_fast(self);
    else
        ghcomp_taskwait_observed(__builtin_return_address(0), __builtin_dwarf_cfa());
}

void GOMP_taskwait_depend(void **depend)
{
    GHCOMP_TOOL_SITE();
    ghcomp_task_wait_depend(ghcomp_self(), depend);
}

void GOMP_taskwait_depend_nowait(void **depend)
{
    GHCOMP_TOOL_SITE();
    struct ghcomp_member *self = ghcomp_self();
    if (!ghcomp_task_refused(self))
        ghcomp_task_wait_depend_nowait(self, depend, true);
}

/* As in libgomp, runs no task here: the yielding task may hold a lock that another task needs. */
void GOMP_taskyield(void)
{
    ghcomp_task_yield_cpu(ghcomp_self());
}

void GOMP_taskgroup_start(void)
{
    ghcomp_taskgroup_enter(__builtin_return_address(0), __builtin_dwarf_cfa());
}

void GOMP_taskgroup_end(void)
{
    ghcomp_taskgroup_leave(__builtin_return_address(0), __builtin_dwarf_cfa());
}

void omp_fulfill_event(omp_event_handle_t event)
{
    ghcomp_task_fulfill((struct ghcomp_task *)event);
}

void omp_fulfill_event_(omp_event_handle_t event)
{
    ghcomp_task_fulfill((struct ghcomp_task *)event);
}

GHCOMP_ABI_OBJECT(gomp_task);
