/* Explicit tasks: creating, running, completing and awaiting them. Protocol in task.c, task_run.c, task_wait.c.
 *
 * The encountering thread carries out a task construct in these steps:
 *
 *     struct ghcomp_task *task = ghcomp_task_new(self, fn, bytes, align, flags);
 *     ... fill in the task's data (task->data, `bytes` of it) ...
 *     ghcomp_task_depend(self, task, depend);                          // with a depend clause: taskdep.h
 *     ghcomp_task_submit(self, task);                                  // from here on the task may be gone
 *
 * `self` is the calling thread's innermost member (ghcomp_self()).
 */
#pragma once

#include "base/machine.h"
#include "core/cpu/wait.h"
#include "core/observe/observers.h"
#include "core/state/settings.h"
#include "core/task/deque.h"
#include "core/task/task_defer.h"
#include "core/tool/tool_filter.h"

/* Flags of a task construct: the ABI's values. */
enum ghcomp_task_flag {
    GHCOMP_TASK_FLAG_UNTIED = 1 << 0,
    GHCOMP_TASK_FLAG_FINAL = 1 << 1,
    GHCOMP_TASK_FLAG_MERGEABLE = 1 << 2,
    GHCOMP_TASK_FLAG_DEPEND = 1 << 3,
    GHCOMP_TASK_FLAG_PRIORITY = 1 << 4,
    GHCOMP_TASK_FLAG_UP = 1 << 8,
    GHCOMP_TASK_FLAG_GRAINSIZE = 1 << 9,
    GHCOMP_TASK_FLAG_IF = 1 << 10,
    GHCOMP_TASK_FLAG_NOGROUP = 1 << 11,
    GHCOMP_TASK_FLAG_REDUCTION = 1 << 12,
    GHCOMP_TASK_FLAG_DETACH = 1 << 13,
    GHCOMP_TASK_FLAG_STRICT = 1 << 14,
    GHCOMP_TASK_FLAG_FRAMED = 1 << 28, /* not the ABI's: what follows GHCOMP_TASK_FRAME bytes of the data is aligned */
    GHCOMP_TASK_FLAG_POOL = 1 << 29, /* of a taskloop, and not the ABI's: threadset(omp_pool), where agents may come */
    GHCOMP_TASK_FLAG_FILTERED = 1 << 30 /* not the ABI's: by a tool's filter (tool_filter.c) */
};

enum { GHCOMP_TASK_FRAME = 16, GHCOMP_TASK_LEAD = GHCOMP_CACHE_LINE - GHCOMP_TASK_FRAME };

/* struct ghcomp_task, traits. */
enum {
    GHCOMP_TASK_UNDEFERRED = 1, /* the generating task waits for its end: its if clause was false */
    GHCOMP_TASK_COUNTED = 2,    /* its team counts its completion */
    GHCOMP_TASK_TOP = 4,        /* its taskgroup counts it until it and all its descendants have ended */
    GHCOMP_TASK_DETACHABLE = 8, /* complete only when its event is fulfilled, too */
    GHCOMP_TASK_AWAITED = 16,   /* its readiness is reported to the generating task, which runs it itself */
    GHCOMP_TASK_BIG = 32,       /* its data has memory of its own */
    GHCOMP_TASK_CHILD = 64,     /* its completion must still be reported to its parent (`due`) */
    GHCOMP_TASK_DEPENDENT = 128, /* it has dependences */
    GHCOMP_TASK_CONSTRUCTED = 256, /* its data was copy-constructed: it runs in any case, because it destroys them */
    GHCOMP_TASK_TRACED = 512,   /* its start is in the trace (trace.c) */
    GHCOMP_TASK_REPORTED = 1024, /* a tool knows it: task->tool */
    GHCOMP_TASK_RACES = 2048,   /* ThreadSanitizer knows what orders it (races_task.c); its data, if any, is BIG */
    GHCOMP_TASK_LOGGED = 4096,  /* a log was being written when it was made: its start is to be in the trace; or it is
                                   recorded in a graph (task_graph_record.c) */
    GHCOMP_TASK_FILTERED = 8192, /* by a tool's filter (tool_filter.c) */
    GHCOMP_TASK_IN_ORDER = 16384, /* gcc's, with dependences: libgomp's order (taskdep.c, taskdep_complete.c) */
    GHCOMP_TASK_THREADSET = 32768, /* enum ghcomp_threadset, in `mark` until it starts, says which threads run it */
    /* Its start and its end take the observed path. */
    GHCOMP_TASK_OBSERVED = GHCOMP_TASK_TRACED | GHCOMP_TASK_REPORTED | GHCOMP_TASK_RACES | GHCOMP_TASK_LOGGED |
                       GHCOMP_TASK_FILTERED
};

/* Which threads run a task with GHCOMP_TASK_THREADSET (task_threadset.c). */
enum ghcomp_threadset {
    GHCOMP_THREADSET_TARGET,    /* one of no team (ghcomp_task_submit_aside) */
    GHCOMP_THREADSET_POOL,      /* the team's, and free agents: threadset(omp_pool) */
    GHCOMP_THREADSET_TEAM       /* the team's members: a free agent has made it */
};

/* task.refcount while the task's function runs: see task_life.h. */
#define GHCOMP_TASK_REFERENCES_RUNNING UINT32_C(0x80000000)
/* The most that task.living gets to be before the executor moves it into refcount. */
enum { GHCOMP_TASK_LIVING_MOST = 1 << 28 };

/* Creates a child of the current task, with `bytes` of data aligned to `align` (a power of two). Both 0 for no data:
   then the caller sets task->data, and the task must be undeferred or run at once. */
struct ghcomp_task *ghcomp_task_new(struct ghcomp_member *self, void (*fn)(void *), size_t bytes, size_t align,
                                    unsigned flags);
/* The same for an entry that has found ghcomp_self_fast (core/observe/fast_self.h). */
struct ghcomp_task *ghcomp_task_new_fast(struct ghcomp_member *self, void (*fn)(void *), size_t bytes, size_t align,
                                         unsigned flags);
/* A task that was made with GHCOMP_TASK_FLAG_FILTERED and is not submitted yet is reported after all. `bytes` and
   `flags` are those of its making. */
void ghcomp_task_observe(struct ghcomp_member *self, struct ghcomp_task *task, size_t bytes, unsigned flags);
/* The if clause was false: the task is undeferred. */
static inline void ghcomp_task_undefer(struct ghcomp_task *task)
{
    task->traits |= GHCOMP_TASK_UNDEFERRED;
}
/* The thread runs the task at once by ghcomp_task_start and ghcomp_task_finish, but does not wait for its completion:
   an event may come later. After ghcomp_task_detachable. */
void ghcomp_task_encountered(struct ghcomp_member *self, struct ghcomp_task *task);
/* The task has a detach clause: its event's handle is the task's address. */
static inline void ghcomp_task_detachable(struct ghcomp_task *task)
{
    task->traits |= GHCOMP_TASK_DETACHABLE;
}
/* The data was copied by the program's own function (C++ copy constructors). */
static inline void ghcomp_task_constructed(struct ghcomp_task *task)
{
    task->traits |= GHCOMP_TASK_CONSTRUCTED;
}
/* The priority clause's value, before the task is submitted. */
static inline void ghcomp_task_set_priority(struct ghcomp_task *task, int priority)
{
    int most = ghcomp_global.max_task_priority;
    task->priority = priority < 0 ? 0 : priority < most ? priority : most;
}
/* The task's threads, before it is submitted. */
static inline void ghcomp_task_threadset(struct ghcomp_task *task, enum ghcomp_threadset threads)
{
    task->traits |= GHCOMP_TASK_THREADSET;
    task->mark = threads;
}
/* Enters the dependences of a depend clause; `depend` is the ABI's list. */
void ghcomp_task_depend(struct ghcomp_member *self, struct ghcomp_task *task, void **depend);
/* The task has a transparent clause of this value (OpenMP 6.0: omp_impex_t, but not omp_not_impex). Before
   ghcomp_task_depend. */
void ghcomp_task_open(struct ghcomp_member *self, struct ghcomp_task *task, unsigned impex);
/* Discards a task that is not submitted after all. By the task that made it. */
void ghcomp_task_drop(struct ghcomp_member *self, struct ghcomp_task *task);
/* With a tool: reports the task's creation, with these ompt_task_flag_t in addition. */
void ghcomp_task_report_create(struct ghcomp_member *self, struct ghcomp_task *task, int flags);
/* The same for a task with dependences, before they are entered; the caller reports the dependences next. False (only
   with may_be_void): the caller skips the dependences, as without a tool (ghcomp_task_depends_on_none). Otherwise one
   reported task would make all others enter theirs, until the task that creates them waits. A task whose dependences
   are skipped must run at once: it becomes undeferred, since the same check from a deeper frame may find that the stack
   has no room for it. */
bool ghcomp_task_report_dependent(struct ghcomp_member *self, struct ghcomp_task *task, bool may_be_void);
/* Lets the task run: at once on this thread, or later on any thread of the team. */
void ghcomp_task_submit(struct ghcomp_member *self, struct ghcomp_task *task);

/* Lets a target task of gcc's code run later. In a team of one the thread's next task scheduling point runs it; the end
   of another task does not. */
void ghcomp_task_submit_later(struct ghcomp_member *self, struct ghcomp_task *task);
/* A task that ghcomp_task_submit_later has submitted begins. */
void ghcomp_task_later_begins(void);
/* Lets a target task of clang's code run outside the team, on a free worker of the pool if it can get one
   (core/team/aside.c). */
void ghcomp_task_submit_aside(struct ghcomp_member *self, struct ghcomp_task *task);

/* The task's 32-bit name for nest locks, by its executor. The name is the struct's: unique among live tasks, and the
   struct's next task has it again, as with libgomp, where it is the struct's address. So it is structs that use names
   up, and not tasks: their number is bounded by the tasks that are unfinished at one time. */
uint32_t ghcomp_task_id(struct ghcomp_task *task);

/* Whether the region or taskgroup is cancelled, so that new tasks are not even created. */
bool ghcomp_task_refused_slow(struct ghcomp_member *self);
static inline bool ghcomp_task_refused(struct ghcomp_member *self)
{
    return ghcomp_unlikely(ghcomp_global.cancel) && ghcomp_task_refused_slow(self);
}
/* The same for what is in no taskgroup: whether the region is cancelled. */
bool ghcomp_task_region_refuses(struct ghcomp_member *self);
/* A detachable task of a final one: waits for what it depends on, runs it, and does not wait for its event. */
void ghcomp_task_submit_included(struct ghcomp_member *self, struct ghcomp_task *task);
/* Creates a task around the caller's data, without dependences, event and constructors, and runs it. */
void ghcomp_task_run_now(void (*fn)(void *), void *data, struct ghcomp_member *self, unsigned flags);
/* The end of ghcomp_task_encounter_fast (task_now.h), for a task that may be deferred. */
void ghcomp_task_defer_fast(void (*fn)(void *), void *data, struct ghcomp_member *self, size_t bytes, size_t align,
                            unsigned flags);
/* The same for a task that has dependences besides, in gcc's code, and is neither undeferred nor in a final task. */
void ghcomp_task_defer_dependent(void (*fn)(void *), void *data, struct ghcomp_member *self, size_t bytes, size_t align,
                                 unsigned flags, void **depend);
/* No hook is active, and no task is ever refused. */
static inline bool ghcomp_task_fast(uint32_t observers)
{
    return ghcomp_likely((observers & (GHCOMP_OBSERVE_HOOKS | GHCOMP_CANCELLABLE)) == 0);
}

/* For bodies that do not run by task->fn (cbits/haskell/task.c). Start and finish are the steps of ghcomp_task_run
   around the body; the caller keeps self->task as it was `before`, and start returns whether the body is to run at all.
   Defer submits a deferred task without dependences and event; false: there is no room for it, and the caller must run
   it now. */
bool ghcomp_task_start(struct ghcomp_member *self, struct ghcomp_task *task);
void ghcomp_task_finish(struct ghcomp_member *self, struct ghcomp_task *task, struct ghcomp_task *before);
bool ghcomp_task_defer(struct ghcomp_member *self, struct ghcomp_task *task);
/* Between start and finish: the caller has not run the task's function, since the task's region or taskgroup has been
   cancelled. A detachable task then does not wait for its event. */
void ghcomp_task_discard(struct ghcomp_task *task) __attribute__((cold));

/* A wait that returns when it finds a task whose function is `fn`, instead of running it. The caller runs the task and
   resumes the wait. */
struct ghcomp_wait_pause {
    void (*fn)(void *);
    struct ghcomp_task *task; /* the task to run, when a wait returned early */
    uint32_t episode;         /* barriers (barrier.c): the episode that is waited for, once `arrived` */
    bool arrived;
};

/* taskwait: until the current task's children are complete. */
void ghcomp_task_wait(struct ghcomp_member *self);
/* The same for an entry that has found ghcomp_self_fast (core/observe/fast_self.h). */
void ghcomp_task_wait_fast(struct ghcomp_member *self);
/* The same for a filtered task (tool_filter.c), by an entry that has found ghcomp_tool_task_filtered. */
void ghcomp_task_wait_filtered(struct ghcomp_member *self, const void *return_address, void *frame);
/* The same with a pause: false when pause->task is to be run. */
bool ghcomp_task_wait_paused(struct ghcomp_member *self, struct ghcomp_wait_pause *pause);
/* taskwait depend(...): until the children that the list depends on are complete. */
void ghcomp_task_wait_depend(struct ghcomp_member *self, void **depend);
/* taskwait depend(...) nowait, and other constructs that are a task without a body. `in_order`: gcc's code. */
void ghcomp_task_wait_depend_nowait(struct ghcomp_member *self, void **depend, bool in_order);
/* taskyield: may run a task that descends from the current one. */
void ghcomp_task_yield(struct ghcomp_member *self);
/* The same without a task: where threads share CPUs the caller now and then lets another one run. */
void ghcomp_task_yield_cpu(struct ghcomp_member *self);
/* omp_fulfill_event. Any thread of the process. */
void ghcomp_task_fulfill(struct ghcomp_task *task);

/* In the child of fork(): the calling thread has lost the tasks that it waits for, those of its own team and of the
   enclosing teams. */
void ghcomp_task_fork_child(struct ghcomp_member *self);

/* The task's dependences are met, so it may start. By the thread that met the last one: `self` is its member of the
   task's team, or NULL for a thread outside it. `team` is the task's. */
void ghcomp_task_ready(struct ghcomp_member *self, struct ghcomp_team *team, struct ghcomp_task *task);

/* --- for task_*.c, taskgroup.c, taskdep.c ------------------------------------------------------------------------- */

/* For a producer of tasks that cannot start yet: runs ready tasks while too many are unfinished (task_wait.c). */
void ghcomp_task_throttle_slow(struct ghcomp_member *self) __attribute__((cold));
enum { GHCOMP_TASK_UNFINISHED_MOST = 4096 };
static inline uint32_t ghcomp_task_unfinished(const struct ghcomp_task *parent, uint32_t reported)
{
    return (parent->due - (reported >> 1)) & (UINT32_MAX >> 1);
}
static inline void ghcomp_task_throttle(struct ghcomp_member *self)
{
    uint32_t reported = ghcomp_load_relaxed(&self->task->reported);
    if (ghcomp_unlikely(ghcomp_task_unfinished(self->task, reported) >= GHCOMP_TASK_UNFINISHED_MOST))
        ghcomp_task_throttle_slow(self);
}

/* task_threadset.c, for a task with GHCOMP_TASK_THREADSET that is not TARGET's. applies: called before the task is
   counted; false: the task has lost the trait. place: for a ready and counted task; returns the task that the calling
   thread must run at once (this one or another descendant of the current task), or NULL. */
bool ghcomp_threadset_applies(struct ghcomp_member *self, struct ghcomp_task *task);
struct ghcomp_task *ghcomp_threadset_place(struct ghcomp_member *self, struct ghcomp_task *task);
/* A ready task with GHCOMP_TASK_THREADSET goes where its threads find it, as in ghcomp_task_ready. False: TARGET's, for
   the team. */
bool ghcomp_threadset_ready(struct ghcomp_member *self, struct ghcomp_team *team, struct ghcomp_task *task);

/* core/team/agents.c. may_come: whether free agents may run tasks that the member makes now. most: the largest number
   of agents in the process. call: calls an agent for the member's team if one more is allowed; false: no agent will
   search for the task that the caller has queued. */
bool ghcomp_agents_may_come(const struct ghcomp_member *self);
uint32_t ghcomp_agents_most(void);
bool ghcomp_agents_call(struct ghcomp_member *self);
/* task_run.c: counts one more task that a thread outside of the team has completed. The team's region may end from here
   on. */
void ghcomp_task_count_outside(struct ghcomp_team *team);

/* A ready task of TARGET's: a thread outside the team runs it. False: there is no such thread, or this one
   may not ask for it (core/team/aside.c). */
bool ghcomp_aside_start(struct ghcomp_member *self, struct ghcomp_team *team, struct ghcomp_task *task);
/* Whether a ready task's code is to run: its construct has not been cancelled meanwhile. Any thread; `team` is the
   task's. */
bool ghcomp_task_may_run_aside(struct ghcomp_team *team, const struct ghcomp_task *task);
/* Completes the task, whether its code has run or was skipped. By a thread outside of `team`, whose region may be over
   afterwards. */
void ghcomp_task_end_aside(struct ghcomp_team *team, struct ghcomp_task *task);
/* In the child of fork(). lost: whether target tasks on other threads have been lost. fork_child: resets this, after
   the last step that asks. */
bool ghcomp_aside_lost(void);
void ghcomp_aside_fork_child(void);

/* Whether the task is filtered and interrupts no reported one: then its start is unreported. By the thread that is
   about to start it. */
static inline bool ghcomp_task_starts_unreported(const struct ghcomp_member *self, const struct ghcomp_task *task)
{
    return (task->traits & GHCOMP_TASK_OBSERVED) == GHCOMP_TASK_FILTERED && ghcomp_tool_current_unreported(self);
}

/* Runs a ready task from beginning to end. */
void ghcomp_task_run(struct ghcomp_member *self, struct ghcomp_task *task);
/* The same for a member in a barrier, which ends only after all tasks: if a task's end makes another task the first of
   all ready ones, the member runs that one next, and so on (taskdep_complete.c). */
void ghcomp_task_run_and_next(struct ghcomp_member *self, struct ghcomp_task *task);

/* In a wait: the first function runs a task; the second one notes that there is none. A tool with a filter gets either
   event. `any`: ghcomp_task_take_any has taken the task. */
static inline void ghcomp_task_run_in_wait(struct ghcomp_member *self, struct ghcomp_task *task, bool any)
{
    struct ghcomp_tool_sync *wait = ghcomp_unlikely(ghcomp_tool_filters()) ? ghcomp_tool_works(self) : NULL;
    if (any)
        ghcomp_task_run_and_next(self, task);
    else
        ghcomp_task_run(self, task);
    if (ghcomp_unlikely(wait != NULL))
        ghcomp_tool_waits_on(self, wait);
}
static inline void ghcomp_task_none_in_wait(struct ghcomp_member *self)
{
    if (ghcomp_unlikely(ghcomp_tool_filters()))
        ghcomp_tool_idles(self);
}

/* In a wait: runs the task, if there is one, and restarts the spinning. */
static inline bool ghcomp_task_run_if_any(struct ghcomp_member *self, struct ghcomp_task *task, bool any,
                                          struct ghcomp_spin *spin)
{
    if (task == NULL) {
        ghcomp_task_none_in_wait(self);
        return false;
    }
    ghcomp_task_run_in_wait(self, task, any);
    ghcomp_spin_restart(spin);
    return true;
}

/* A pending count is empty; see task_wait.c. (Below zero: an event was fulfilled in the child of fork() whose task had
   been written off.) */
static inline bool ghcomp_pending_empty(const uint32_t *due, uint32_t reported)
{
    return (int32_t)((*due - (reported >> 1)) << 1) <= 0;
}
/* Whether all children of the task, the current one, are complete. */
static inline bool ghcomp_task_waits_for_none(struct ghcomp_task *task)
{
    return ghcomp_pending_empty(&task->due, ghcomp_load_acquire(&task->reported));
}
/* One fewer, reported by a thread that does not own `due`. `team` is the waiting member's. */
void ghcomp_pending_report(struct ghcomp_team *team, _Atomic uint32_t *reported);
/* Waits until all that are due have been reported, running descendants of the current task meanwhile. */
void ghcomp_pending_wait(struct ghcomp_member *self, const uint32_t *due, _Atomic uint32_t *reported);
void ghcomp_pending_wait_filtered(struct ghcomp_member *self, const uint32_t *due, _Atomic uint32_t *reported,
                                  struct ghcomp_tool_filtered_wait *filtered);
bool ghcomp_pending_wait_paused(struct ghcomp_member *self, const uint32_t *due, _Atomic uint32_t *reported,
                                struct ghcomp_wait_pause *pause);

/* task_take.c: takes a ready task that the member may start now; NULL when there is none. `any` is for barriers;
   elsewhere only descendants of the current task may start (the task scheduling constraint). */
struct ghcomp_task *ghcomp_task_take_any(struct ghcomp_member *self);
struct ghcomp_task *ghcomp_task_take_descendant(struct ghcomp_member *self);
/* In a transparent task: one of its domain that comes before it. */
struct ghcomp_task *ghcomp_task_take_before(struct ghcomp_member *self);

/* task.c. fit: before a region its master replaces a member's deque that has fewer than `room` slots. free: frees a
   member's deques at its end. */
void ghcomp_task_fit_deque(struct ghcomp_member *member, uint32_t room);
void ghcomp_task_free_deque(struct ghcomp_member *member);

/* task_queue.c: the team's queue. */
void ghcomp_task_queue_put(struct ghcomp_team *team, struct ghcomp_task *task);
/* A release enters all tasks that one task's end makes ready, without entries of others in between
   (taskdep_complete.c): the caller holds the queue's lock from begin to end. `behind`: the deque's entries below that
   position come first; deque NULL: none do. */
void ghcomp_task_queue_release_begin(struct ghcomp_team *team);
void ghcomp_task_queue_release(struct ghcomp_team *team, struct ghcomp_task *task, struct ghcomp_deque *deque,
                               uint32_t behind);
/* Takes the first entry if it is in libgomp's order and nothing comes before it; else NULL. */
struct ghcomp_task *ghcomp_task_queue_release_take(struct ghcomp_team *team);
/* True: there are entries. */
bool ghcomp_task_queue_release_end(struct ghcomp_team *team);
/* Takes the first entry that descends from `ancestor` (NULL: any); NULL when there is none. */
struct ghcomp_task *ghcomp_task_queue_get(struct ghcomp_team *team, struct ghcomp_task *ancestor);
/* Takes the first entry of all. NULL: there is none; or, with *deque, tasks in that deque below *end come before it. */
struct ghcomp_task *ghcomp_task_queue_get_first(struct ghcomp_team *team, struct ghcomp_deque **deque, uint32_t *end);
/* The same for a free agent: of those that agents may run. */
struct ghcomp_task *ghcomp_task_queue_get_pool(struct ghcomp_team *team, struct ghcomp_task *ancestor);
/* The same for a thread outside of the team: it finds every entry that was put there before it took the queue's
   lock. */
struct ghcomp_task *ghcomp_task_queue_get_left(struct ghcomp_team *team);
/* Takes the first entry that ghcomp_depend_before says comes before the task; `pool`: for a free agent. */
struct ghcomp_task *ghcomp_task_queue_get_before(struct ghcomp_team *team, const struct ghcomp_task *task, bool pool);
/* Set in queue.count during a release: more entries may follow soon. A completer other than the maker sets it before it
   closes the ended task's node; the maker sets it after that. */
#define GHCOMP_QUEUE_RELEASING (UINT32_C(1) << 31)
/* Hints, read without the lock: whether the queue has entries or soon may have; how many; and whether some may descend
   from the task (from an implicit one, all may). */
static inline bool ghcomp_task_queue_used(const struct ghcomp_team *team)
{
    return ghcomp_load_relaxed(&team->queue.count) != 0;
}
static inline uint32_t ghcomp_task_queue_length(const struct ghcomp_team *team)
{
    return ghcomp_load_relaxed(&team->queue.count) & ~GHCOMP_QUEUE_RELEASING;
}
static inline bool ghcomp_task_queue_has_descendants(const struct ghcomp_team *team, const struct ghcomp_task *task)
{
    return ghcomp_load_relaxed(&team->queue.deep) != 0 ||
           (ghcomp_load_relaxed(&task->depth) == 0 && ghcomp_task_queue_length(team) != 0);
}
/* Whether there is one of those that agents may run: a hint. */
static inline bool ghcomp_task_queue_has_pool(const struct ghcomp_team *team)
{
    return ghcomp_load_relaxed(&team->queue.pool) != 0;
}
void ghcomp_task_queue_free(struct ghcomp_task_queue *queue);
/* In the child of fork(): whether a thread that is lost may have had the lock; if so, its tasks are lost as well. */
void ghcomp_task_queue_fork_child(struct ghcomp_task_queue *queue);

/* Whether the task is `ancestor` or descends from it. */
static inline bool ghcomp_task_descends(struct ghcomp_task *task, struct ghcomp_task *ancestor)
{
    uint32_t depth = ghcomp_load_relaxed(&ancestor->depth);
    while (task != NULL && ghcomp_load_relaxed(&task->depth) > depth)
        task = ghcomp_load_relaxed(&task->parent);
    return task == ancestor;
}

/* task_heap.c: the thread ends. */
void ghcomp_task_heap_free(struct ghcomp_thread *thread);
