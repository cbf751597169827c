/* Threads that the runtime knows: registration, end, and fork().
 *
 * An initial thread is registered at its first call into the runtime that is not a query (outside.c) and forgotten when
 * it exits (by a pthread key's destructor: the workers of its hot teams go back to the pool). The main thread's return
 * ends the process: its teams stay for regions in atexit handlers and library destructors. Its pthread_exit is below.
 *
 * fork(): only the calling thread lives on in the child. It keeps its struct; the pool starts empty, and every team of
 * an older generation counts as having no workers (ghcomp_process_generation, types.h).
 *
 * Covered by test/conformance/process (fork, thread exit, atexit, destructors).
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "core/affinity/affinity.h"
#include "core/affinity/display_affinity.h"
#include "core/cpu/admission.h"
#include "core/cpu/cpu_account.h"
#include "core/cpu/wait.h"
#include "core/observe/fast_self.h"
#include "core/state/types.h"
#include "core/sync/task_team.h"
#include "core/task/task.h"
#include "core/task/task_graph.h"
#include "core/task/taskdep.h"
#include "core/task/taskgroup.h"
#include "core/team/agents.h"
#include "core/team/initial_region.h"
#include "core/team/lend.h"
#include "core/team/pool.h"
#include "core/team/team.h"
#include "core/team/thread_number.h"
#include "core/team/threadprivate.h"
#include "core/tool/tool.h"
#include "core/trace/trace.h"
#include "core/tsan/races.h"
#include "host/host.h"

static pthread_key_t exit_key;

/* --- the last application thread ---------------------------------------------------------------------------------- */

/* A process whose first thread ends by pthread_exit lives until its last thread ends; idle workers, and the threads of
   an RTS that was booted for us, would keep it for ever. So when the first thread and all initial threads have ended,
   the workers are dismissed and the RTS is stopped. Threads that the runtime does not know may still be there: their
   first regions make new workers.

   The thread that ends last does it: each subtracts itself from `initial` (add_seqcst), or sets `first_ended`
   (xchg_seqcst), and then reads the other (load_seqcst). Two threads may both see that all have ended. */
static _Atomic uint32_t initial;
static _Atomic bool first_ended;
static pthread_key_t first_key; /* of the first thread: its destructor runs at that thread's end */
static bool first_key_made;     /* written by init, then constant */
static bool first_known;        /* the first thread has that key; written in it, before it can end */

static void end_if_last(void)
{
    if (ghcomp_load_seqcst(&initial) != 0)
        return;
    if (!ghcomp_load_seqcst(&first_ended) && (first_known || !ghcomp_os_first_thread_ended()))
        return;
    int cancellation = ghcomp_os_defer_cancellation();
    ghcomp_pool_dismiss();
    ghcomp_boot_down();
    ghcomp_os_restore_cancellation(cancellation);
}

void ghcomp_thread_worker_returned(void)
{
    end_if_last();
}

/* Called by the first thread. Its two destructors may run in either order: end_if_last acts in the second one. */
static void know_first_thread(void)
{
    first_known = first_key_made && pthread_setspecific(first_key, &first_key) == 0;
}

static void first_thread_exits(void *value)
{
    (void)value;
    ghcomp_xchg_seqcst(&first_ended, true);
    ghcomp_os_first_thread_ends(true);
    end_if_last();
}

/* --- coming and going --------------------------------------------------------------------------------------------- */

void ghcomp_thread_free(struct ghcomp_thread *thread)
{
    ghcomp_trace_forget(thread);
    ghcomp_tool_free(thread);
    ghcomp_stats_remove_thread(thread);
    ghcomp_initial_region_forget(thread);
    ghcomp_threadprivate_forget(thread);
    ghcomp_thread_number_give(thread);
    if (thread->self.implicit.table != NULL)
        ghcomp_depend_forget(&thread->self.implicit);
    ghcomp_task_heap_free(thread);
    ghcomp_depend_heap_free(thread);
    ghcomp_taskgroup_forget(thread);
    ghcomp_task_free_deque(&thread->self);
    free(thread->placement.mask);
    free(thread->affinity.own);
    free(thread);
}

/* Threads that ended before their tasks (detached ones with an unfulfilled event): the thread that fulfils the event
   needs their structs. Linked by `next`, cas_release; never removed: the list is for leak checkers. */
static _Atomic(struct ghcomp_thread *) left_behind;

static void leave_behind(struct ghcomp_thread *thread)
{
    thread->next = ghcomp_load_relaxed(&left_behind);
    while (!ghcomp_cas_release(&left_behind, &thread->next, thread))
        ;
}

static void report_end(struct ghcomp_member *self)
{
    if (ghcomp_likely(!ghcomp_tool_on()))
        return;
    ghcomp_tool_initial_end(self);
    ghcomp_tool_thread_end(self->thread);
}

/* At the process's exit: ends the free workers, so that the tool gets their thread-end events, and stops the tool. */
static void tool_exit(void)
{
    struct ghcomp_member *self = ghcomp_self_member;
    if (!ghcomp_tool_active() || !ghcomp_tool_on())
        return;
    bool outside = self == NULL || self == &self->thread->self;
    if (outside && self != NULL)
        ghcomp_team_forget(self);
    if (outside)
        ghcomp_pool_dismiss_reported();
    if (self != NULL && outside)
        report_end(self);
    ghcomp_tool_stop();
}

/* At the exit of a process that has run code for libomp: ends the workers, as libomp does, so that they run the
   destructors of their thread-local variables and keys. libgomp does not. Waits for two seconds at most. */
static void workers_exit(void)
{
    struct ghcomp_member *self = ghcomp_self_member;
    if (self == NULL || self->team != self->thread->initial_team) /* in a region, or a worker */
        return;
    ghcomp_team_forget(self);
    ghcomp_pool_join();
}

static pthread_once_t joining = PTHREAD_ONCE_INIT;

static void join_at_exit(void)
{
    if (atexit(workers_exit) != 0)
        ghcomp_warn("out of memory: destructors of thread-local variables do not run at the process's end");
}

/* Does nothing in the child of a fork(): a lost thread that was closing a library may have held the lock of the C
   library's list of handlers. */
void ghcomp_thread_join_at_exit(void)
{
    if (ghcomp_process_generation == 0)
        pthread_once(&joining, join_at_exit);
}

static void thread_exits(void *value)
{
    struct ghcomp_thread *thread = value;
    struct ghcomp_member *self = ghcomp_self_member;
    /* A thread that ends inside a region (pthread_exit in a parallel construct) has broken OpenMP's rules: its team
       still refers to it, so its structs stay. */
    if (self == NULL || self != &thread->self)
        return;
    ghcomp_threadprivate_destroy(thread);
    ghcomp_agents_thread_ends(self);
    ghcomp_team_forget(self);
    ghcomp_pool_leave(thread);
    report_end(self);
    ghcomp_self_becomes(&ghcomp_outsider); /* queries that come while the struct is freed get the outsider's results */
    if (!ghcomp_task_team_quiescent(thread->initial_team)) {
        leave_behind(thread);
    } else {
        ghcomp_team_free_initial(thread->initial_team);
        ghcomp_thread_free(thread);
    }
    ghcomp_self_becomes(NULL);
    ghcomp_sub_seqcst(&initial, 1u);
    end_if_last();
}

static bool child_is_alone; /* written before a fork() for its child; pool.lock */

/* All locks that a thread may hold for a moment, in the order in which they may be taken together. */
static void fork_prepare(void)
{
    const struct ghcomp_member *self = ghcomp_self_member;
    bool alone = self != NULL && self->team->size > 1 && ghcomp_env_is_for_libomp();
    ghcomp_host_fork_prepare();
    ghcomp_admission_fork_prepare();
    ghcomp_lend_fork_prepare();
    ghcomp_pool_fork_prepare();
    child_is_alone = alone;
    ghcomp_stats_fork_prepare();
    ghcomp_trace_fork_prepare();
}

static void fork_parent(void)
{
    ghcomp_trace_fork_parent();
    ghcomp_stats_fork_parent();
    ghcomp_pool_fork_parent();
    ghcomp_lend_fork_parent();
    ghcomp_admission_fork_parent();
}

static void fork_child(void)
{
    /* The forking thread is the child's first and only one. */
    ghcomp_store_relaxed(&initial, ghcomp_self_member != NULL ? 1u : 0u);
    ghcomp_store_relaxed(&first_ended, false);
    ghcomp_os_first_thread_ends(false);
    know_first_thread();
    ghcomp_pool_fork_child(ghcomp_self_member != NULL ? ghcomp_self_member->thread : NULL);
    ghcomp_host_fork_child();
    ghcomp_lend_fork_child();
    ghcomp_admission_fork_child();
    ghcomp_cpu_account_fork_child();
    ghcomp_thread_number_fork_child(ghcomp_self_member != NULL ? ghcomp_self_member->thread : NULL);
    ghcomp_stats_fork_child(ghcomp_self_member != NULL ? ghcomp_self_member->thread : NULL);
    ghcomp_trace_fork_child(ghcomp_self_member != NULL ? ghcomp_self_member->thread : NULL);
    if (ghcomp_self_member != NULL) {
        ghcomp_team_fork_child(ghcomp_self_member, child_is_alone);
        ghcomp_affinity_fork_child(ghcomp_self_member);
    }
    ghcomp_affinity_format_fork_child();
    ghcomp_graph_fork_child(ghcomp_self_member != NULL ? ghcomp_self_member->thread : NULL);
    ghcomp_aside_fork_child();
    ghcomp_agents_fork_child(ghcomp_self_member);
}

static void init(void)
{
    ghcomp_self_place();
    ghcomp_env_init();
    ghcomp_races_start();
    ghcomp_tool_prepare();
    int error = pthread_key_create(&exit_key, thread_exits);
    if (error != 0)
        ghcomp_fatal("no thread-specific key is left for the runtime (%s); load it before libraries that take many",
                     strerror(error));
    first_key_made = pthread_key_create(&first_key, first_thread_exits) == 0;
    if (ghcomp_os_first_thread())
        know_first_thread();
    ghcomp_at_fork(fork_prepare, fork_parent, fork_child);
}

/* A thread may call before the constructor has run: from a shared library's constructor, when the runtime is in a
   static program. */
__attribute__((constructor(102))) static void thread_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init);
}

static struct ghcomp_member *registered(int cancellation)
{
    ghcomp_os_restore_cancellation(cancellation);
    return ghcomp_self_member;
}

/* Reports the calling thread, which is registered by now, to the tool; `started`: this thread has started the tool. */
static struct ghcomp_member *report_tool_late(int cancellation, bool started)
{
    struct ghcomp_member *self = ghcomp_self_member;
    if (started && atexit(tool_exit) != 0)
        ghcomp_warn("out of memory: the tool does not learn of the process's end");
    if (ghcomp_tool_active()) {
        ghcomp_tool_thread_begin(self->thread, ompt_thread_initial);
        ghcomp_tool_initial_begin(self);
    }
    return registered(cancellation);
}

struct ghcomp_member *ghcomp_thread_register_for(const void *caller)
{
    struct ghcomp_member *known = ghcomp_self_member;
    if (known != NULL) /* not found by ghcomp_self (self.h) */
        return known;
    int cancellation = ghcomp_os_defer_cancellation();
    thread_init();
    ghcomp_env_decide(caller);
    bool observed = ghcomp_tool_on(), started = observed && ghcomp_tool_start();
    if (ghcomp_self_member != NULL) /* the tool has called the runtime while it started, which registered the thread */
        return report_tool_late(cancellation, started);
    /* The tool has started, and nothing below needs the thread: queries get the outsider's answers. */
    ghcomp_self_becomes(&ghcomp_outsider);
    struct ghcomp_thread *thread = ghcomp_alloc_lines(sizeof *thread);
    ghcomp_store_relaxed(&thread->group.threads, 1u);
    thread->in_group = &thread->group;
    ghcomp_stats_add_thread(thread);
    thread->initial_team = ghcomp_team_new_initial(thread, &thread->self, &thread->group);
    ghcomp_self_becomes(&thread->self);
    if (pthread_setspecific(exit_key, thread) != 0)
        ghcomp_fatal("out of memory: a thread's end cannot be noticed; raise the memory limit or use fewer threads");
    if (ghcomp_affinity.places.count > 0)
        ghcomp_affinity_start(thread);
    ghcomp_add_relaxed(&initial, 1u);
    return ghcomp_unlikely(observed) ? report_tool_late(cancellation, started) : registered(cancellation);
}

struct ghcomp_member *ghcomp_thread_register(void)
{
    return ghcomp_thread_register_for(NULL);
}

struct ghcomp_member *ghcomp_thread_register_for_libomp(void)
{
    return ghcomp_thread_register_for(ghcomp_env_code_of_libomp);
}
