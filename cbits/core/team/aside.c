/* Tasks that run aside: the target tasks of clang's code (target nowait), as libomp's hidden helper threads run them.
 *
 * The thread that encounters `target nowait` goes on at once, outside of regions, too, and a device computes meanwhile.
 * So the task goes to a free worker of the pool, which is in no region, or to a new one. It runs the task's code in an
 * initial region (initial_region.c) with the ICVs of the task, and then says that the task is complete, as a thread
 * outside of the team does for an event (task_run.c). The task's struct is the team's: each wait for the task is one
 * for its completion.
 *
 * At most MOST workers of a kind (kind.c) run such tasks; further ones wait in the kind's list, in the order of their
 * coming, and a worker that has run one takes the next. Where no thread can be made, and where the thread that finds a
 * task ready has no kind that could be the team's (it has fulfilled an event), the task stays with its team, whose next
 * task scheduling point runs it. Tasks that a tool or ThreadSanitizer knows stay there, too.
 *
 * The process's end waits for the tasks that have started, and for those that depend on them: the handler is registered
 * after libomptarget's own, and so is called before. In the child of fork() they are lost, as those of other threads.
 *
 * Called by task.c (ghcomp_task_submit_aside, ghcomp_task_ready), thread.c (fork). Covered by
 * test/clang/{target_aside,target_exit}.c, test/programs/offload.sh. */
#include <stdlib.h>

#include "base/check.h"
#include "core/observe/fast_self.h"
#include "core/state/icv.h"
#include "core/task/task.h"
#include "core/team/initial_region.h"
#include "core/team/kind.h"
#include "core/team/pool.h"
#include "host/os.h"

enum { MOST = 8 }; /* libomp's number of hidden helper threads */

/* Tasks that have been started and are not complete: add_acqrel, load_acquire. A thread that waits for them sleeps on
   it. */
static _Atomic uint32_t started;

static void run_code(struct ghcomp_thread *worker, struct ghcomp_task *task)
{
    struct ghcomp_member *outside = &worker->idle;
    outside->hot = worker->self.hot;
    outside->hot_serial = worker->self.hot_serial;
    struct ghcomp_initial_region *region = ghcomp_initial_region_prepare(outside, true);
    *ghcomp_icv_own(region->self.task) = *task->icv;
    ghcomp_initial_region_enter(region);
    task->fn(task->data);
    ghcomp_initial_region_leave(region);
    worker->self.hot = outside->hot;
    worker->self.hot_serial = outside->hot_serial;
    outside->hot = outside->hot_serial = NULL;
}

static void run(struct ghcomp_thread *worker, struct ghcomp_task *task)
{
    struct ghcomp_team *team = task->executor->team;
    if (ghcomp_task_may_run_aside(team, task))
        run_code(worker, task);
    ghcomp_task_end_aside(team, task);
    if (ghcomp_sub_acqrel(&started, 1u) == 1)
        ghcomp_os_wake(&started, INT32_MAX);
}

/* The next task that waits for a worker of the kind. NULL: there is none, and the caller is no longer counted among
   these workers. */
static struct ghcomp_task *next(struct ghcomp_kind *kind)
{
    pthread_mutex_lock(&ghcomp_pool_lock);
    struct ghcomp_task *task = kind->aside;
    if (task == NULL)
        kind->asides--;
    else
        kind->aside = task->next_aside;
    pthread_mutex_unlock(&ghcomp_pool_lock);
    return task;
}

static void errand(void *data)
{
    struct ghcomp_thread *worker = ghcomp_self_member->thread;
    for (struct ghcomp_task *task = data; task != NULL; task = next(worker->kin.made_for))
        run(worker, task);
}

/* True: the task waits in the kind's list. False: one more worker of it may run such tasks; it is counted if there is
   one. */
static bool wait_in_list(struct ghcomp_kind *kind, struct ghcomp_task *task, bool worker)
{
    pthread_mutex_lock(&ghcomp_pool_lock);
    bool waits = kind->asides >= MOST;
    if (waits) {
        task->next_aside = NULL;
        if (kind->aside == NULL)
            kind->aside = task;
        else
            kind->aside_last->next_aside = task;
        kind->aside_last = task;
    } else if (worker) {
        kind->asides++;
    }
    pthread_mutex_unlock(&ghcomp_pool_lock);
    return waits;
}

/* A worker gets the task, or a list does. */
static bool give(struct ghcomp_task *task)
{
    struct ghcomp_kind *kind = ghcomp_load_relaxed(&ghcomp_self()->thread->kin.kind);
    if (kind != NULL && wait_in_list(kind, task, false))
        return true;
    struct ghcomp_thread *worker;
    int error;
    if (ghcomp_pool_take_limited(&worker, 1, &error, true) == 0)
        return false;
    if (wait_in_list(worker->kin.made_for, task, true)) /* it is of another kind, or others came in between */
        ghcomp_pool_give(&worker, 1);
    else
        ghcomp_pool_send(worker, errand, task);
    return true;
}

static void wait_at_exit(void)
{
    const struct ghcomp_member *self = ghcomp_self_member;
    uint32_t left;
    if (self != NULL && self->thread->number != 0)
        return; /* the process ends in a region or in such a task */
    while ((left = ghcomp_load_acquire(&started)) != 0)
        ghcomp_os_sleep(&started, left);
}

static void prepare(void)
{
    if (atexit(wait_at_exit) != 0)
        ghcomp_warn("out of memory: the process's end does not wait for target nowait");
}

/* Whether the calling thread runs an errand. */
static bool is_aside(void)
{
    const struct ghcomp_member *self = ghcomp_self_member;
    return self != NULL && self->thread->number != 0 && self->thread->mail.team == NULL;
}

bool ghcomp_aside_start(struct ghcomp_member *self, struct ghcomp_team *team, struct ghcomp_task *task)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (self == NULL && !is_aside())
        return false;
    pthread_once(&once, prepare);
    task->executor = team->members[0];
    ghcomp_add_acqrel(&started, 1u);
    if (give(task))
        return true;
    ghcomp_sub_acqrel(&started, 1u);
    return false;
}

bool ghcomp_aside_lost(void)
{
    return ghcomp_load_relaxed(&started) != 0;
}

void ghcomp_aside_fork_child(void)
{
    ghcomp_store_relaxed(&started, is_aside() ? 1u : 0u); /* its own */
}
