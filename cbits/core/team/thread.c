/* Threads that the runtime knows, their coming and going, and fork().
 *
 * An initial thread becomes known at its first call into the runtime and is forgotten when it exits (by a pthread key's
 * destructor: the workers of its hot teams go back to the pool). The main thread's end is the process's: its teams
 * stay, so that regions in atexit handlers and library destructors find them.
 *
 * fork(): only the calling thread lives on in the child. It keeps its struct; the pool starts empty, and every team of
 * an older generation counts as having no workers (ghcomp_process_generation, types.h).
 *
 * Covered by test/conformance/process (fork, thread exit, atexit, destructors).
 */
#include <stdlib.h>

#include "base/check.h"
#include "core/affinity/affinity.h"
#include "core/cpu/admission.h"
#include "core/cpu/cpu_account.h"
#include "core/cpu/wait.h"
#include "core/state/types.h"
#include "core/sync/task_team.h"
#include "core/task/task.h"
#include "core/task/taskdep.h"
#include "core/team/lend.h"
#include "core/team/pool.h"
#include "core/team/target.h"
#include "core/team/team.h"
#include "core/trace/trace.h"
#include "host/host.h"

__thread struct ghcomp_member *ghcomp_self_member;

static pthread_key_t exit_key;

void ghcomp_thread_free(struct ghcomp_thread *thread)
{
    ghcomp_trace_forget(thread);
    ghcomp_stats_remove_thread(thread);
    ghcomp_target_forget(thread);
    if (thread->self.implicit.table != NULL)
        ghcomp_depend_forget(&thread->self.implicit);
    ghcomp_task_heap_free(thread);
    ghcomp_depend_heap_free(thread);
    free(thread->memory.taskgroup);
    free(ghcomp_load_relaxed(&thread->self.deque));
    free(thread->placement.mask);
    free(thread);
}

/* Threads that ended before their tasks (detached ones, whose event has not been fulfilled): the thread that fulfils it
   needs their structs. Linked by `next`, cas_release; nothing is ever removed, the list is there for leak checkers. */
static _Atomic(struct ghcomp_thread *) left_behind;

static void leave_behind(struct ghcomp_thread *thread)
{
    thread->next = ghcomp_load_relaxed(&left_behind);
    while (!ghcomp_cas_release(&left_behind, &thread->next, thread))
        ;
}

static void thread_exits(void *value)
{
    struct ghcomp_thread *thread = value;
    struct ghcomp_member *self = ghcomp_self_member;
    /* A thread that ends inside a region (pthread_exit in a parallel construct) has broken OpenMP's rules: its team
       still refers to it, so its structs stay. */
    if (self == NULL || self != &thread->self)
        return;
    ghcomp_team_forget(self);
    ghcomp_self_member = NULL;
    if (!ghcomp_task_team_quiescent(thread->initial_team)) {
        leave_behind(thread);
        return;
    }
    ghcomp_team_free_initial(thread->initial_team);
    ghcomp_thread_free(thread);
}

/* All locks that a thread may hold for a moment, in the order in which they may be taken together. */
static void fork_prepare(void)
{
    ghcomp_admission_fork_prepare();
    ghcomp_lend_fork_prepare();
    ghcomp_pool_fork_prepare();
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
    ghcomp_pool_fork_child();
    ghcomp_host_fork_child();
    ghcomp_lend_fork_child();
    ghcomp_admission_fork_child();
    ghcomp_cpu_account_fork_child();
    ghcomp_stats_fork_child(ghcomp_self_member != NULL ? ghcomp_self_member->thread : NULL);
    ghcomp_trace_fork_child(ghcomp_self_member != NULL ? ghcomp_self_member->thread : NULL);
    if (ghcomp_self_member != NULL)
        ghcomp_team_fork_child(ghcomp_self_member);
}

static void init(void)
{
    ghcomp_env_init();
    pthread_key_create(&exit_key, thread_exits);
    pthread_atfork(fork_prepare, fork_parent, fork_child);
}

/* A thread may call before the constructor has run: one that runs a shared library's constructor, when the runtime is
   in a static program. */
__attribute__((constructor(102))) static void thread_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init);
}

struct ghcomp_member *ghcomp_thread_register(void)
{
    thread_init();
    struct ghcomp_thread *thread = ghcomp_alloc_lines(sizeof *thread);
    ghcomp_store_relaxed(&thread->group.threads, 1u);
    thread->in_group = &thread->group;
    ghcomp_stats_add_thread(thread);
    thread->initial_team = ghcomp_team_new_initial(thread, &thread->self, &thread->group);
    ghcomp_self_member = &thread->self;
    pthread_setspecific(exit_key, thread);
    if (ghcomp_affinity.places.count > 0)
        ghcomp_affinity_start(thread);
    return &thread->self;
}

uint32_t ghcomp_task_id(struct ghcomp_task *task)
{
    static _Atomic uint32_t last;
    while (task->id == 0)
        task->id = ghcomp_add_relaxed(&last, 1u) + 1;
    return task->id;
}
