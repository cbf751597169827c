/* The process-wide pool of workers, and what a worker does all its life.
 *
 * A worker waits in one place only, its mailbox (types.h), whether it is free in the pool or kept by a hot team. These
 * threads may write a worker's mail: the one that took it from the pool (lock `pool.lock` orders giving before taking),
 * and from then on the master of its team, between the join of one region and the fork of the next, or on the master's
 * behalf, in a large team, the member that passes the region on (fork_tree.c).
 *
 *   1. A master takes workers (ghcomp_pool_take), or has them in its hot team.
 *   2. It fills each mailbox and exchanges its word (ghcomp_mailbox_post): the worker's load_acquire of the word sees
 *      the mail and the team as the master left them.
 *   3. The worker runs the region's function and subtracts itself from team.unfinished (team.c). From that moment the
 *      team is the master's to use again; the worker touches no more of it than the region's door, by which it may come
 *      back to help with tasks, and the eventcount (task_team.c).
 *   4. The master keeps it, or gives it back (ghcomp_pool_give).
 *
 * Sleeping workers. The master collects in team.wake the workers whose word had the waiters bit, and wakes them two at
 * a time. Woken workers take part (team.wake_next, add_acqrel against the master's store_release). The master goes on
 * until the list is empty and does not rely on them: a listed worker may have seen its mail without sleeping, and have
 * looked at the list before it was complete. Until then wake_next is far out of range; what is added to it is
 * overwritten.
 *
 * Covered by test/unit/team.c, test/unit/team_sleep.c, test/unit/team_wake.c, test/conformance/parallel.
 */
#include "core/team/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "core/cpu/cpu_account.h"
#include "core/cpu/wait.h"
#include "core/state/settings.h"
#include "core/sync/task_team.h"
#include "core/team/lend.h"
#include "core/team/team.h"
#include "core/team/worker_placement.h"
#include "core/tool/tool.h"
#include "core/trace/trace.h"

static struct {
    pthread_mutex_t lock;
    struct ghcomp_thread *free;   /* lock pool.lock: stack of free workers */
    struct ghcomp_team *teams;    /* lock pool.lock: unused team structs, linked by `unused` */
    uint32_t created;             /* lock pool.lock: workers made in this process */
    uint32_t numbered;            /* lock pool.lock: the last number that a worker got, or was to get */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

uint32_t ghcomp_process_generation;

void ghcomp_pool_wake_sleepers(struct ghcomp_team *team)
{
    uint32_t next;
    while ((next = ghcomp_add_acqrel(&team->wake_next, 2u)) < ghcomp_load_relaxed(&team->wake_count)) {
        ghcomp_mailbox_wake(team->wake[next]);
        if (next + 1 < ghcomp_load_relaxed(&team->wake_count))
            ghcomp_mailbox_wake(team->wake[next + 1]);
    }
}

/* Helps with the tasks of the region that the worker served last, which it has entered. */
static __attribute__((noinline)) void come_back(struct ghcomp_thread *worker, struct ghcomp_team *team)
{
    bool left_out = ghcomp_tool_on() && team->left_out;
    if (left_out)
        ghcomp_tool_left_out_part(&worker->self);
    ghcomp_task_team_help(&worker->self, team, worker->served.region);
    if (left_out)
        ghcomp_tool_left_out_end(&worker->self);
}

/* Waits for the next mail. Meanwhile helps with the tasks of the region that the worker served last, if any come up
   (task_team.c, steps 1 and 2). Like ghcomp_wait_change, but the bit is set before the last look at the door. */
static uint32_t wait_for_mail(struct ghcomp_thread *worker, uint32_t seen, bool *slept)
{
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_MAIL);
    uint32_t value;
    *slept = false;
    while (((value = ghcomp_load_acquire(&worker->mail.word)) & ~1u) == seen) {
        struct ghcomp_team *team = worker->served.team;
        if (team != NULL && ghcomp_unlikely(ghcomp_task_team_wants(team, worker->served.region)) &&
            ghcomp_task_team_enter(team, worker->served.region)) {
            come_back(worker, team);
            spin = ghcomp_spin_start(GHCOMP_WAIT_MAIL);
            continue;
        }
        if (ghcomp_spin_again(&spin))
            continue;
        if (value == seen) {
            ghcomp_cas_seqcst(&worker->mail.word, &value, seen | 1u);
            continue;
        }
        ghcomp_wait_park(&worker->mail.word, seen | 1u);
        *slept = true;
    }
    return value & ~1u;
}

/* Workers that have been dismissed for the tool's sake and have not told their end yet; add_acqrel, load_acquire. */
static _Atomic uint32_t leaving;

static void tell_tool_of_end(struct ghcomp_thread *worker)
{
    if (ghcomp_tool_on())
        ghcomp_tool_thread_end(worker);
    uint32_t left = ghcomp_load_acquire(&leaving);
    while (left != 0)
        if (ghcomp_cas_acqrel(&leaving, &left, left - 1)) {
            if (left == 1)
                ghcomp_os_wake(&leaving, 1);
            break;
        }
}

static void *worker_main(void *argument)
{
    struct ghcomp_thread *worker = argument;
    ghcomp_self_becomes(&worker->self); /* and once more at each part that it runs */
    ghcomp_host_worker_start(worker->number);
    if (ghcomp_tool_on())
        ghcomp_tool_thread_begin(worker, ompt_thread_worker);
    uint32_t seen = 0;
    for (;;) {
        bool slept;
        seen = wait_for_mail(worker, seen, &slept);
        struct ghcomp_team *team = worker->mail.team;
        if (team == NULL)
            break;
        /* In a fork tree each sleeper is woken by the thread that posts to it (fork_tree.c). */
        if (slept && team->size > 3 && !(team->by_tree && worker->mail.until != 0))
            ghcomp_pool_wake_sleepers(team);
        ghcomp_float_control_take(worker->mail.float_control);
        if (ghcomp_unlikely(worker->mail.cpu >= 0 || worker->placement.pinned != 0))
            ghcomp_worker_placement_apply(worker);
        ghcomp_team_run_worker(worker);
    }
    tell_tool_of_end(worker);
    ghcomp_host_worker_stop();
    ghcomp_wait_worker_leaves();
    ghcomp_team_forget(&worker->self);
    ghcomp_self_becomes_unseen(NULL);
    ghcomp_thread_free(worker);
    return NULL;
}

static struct ghcomp_thread *create_worker(uint32_t number, int *error)
{
    struct ghcomp_thread *worker = ghcomp_try_alloc_lines(sizeof *worker);
    if (worker == NULL) {
        *error = ENOMEM;
        return NULL;
    }
    worker->number = number;
    worker->self.thread = worker;
    worker->self.passes = ghcomp_tool_no_pass;
    ghcomp_stats_add_thread(worker);
    ghcomp_add_relaxed(&ghcomp_wait.awake, 1u);
    *error = ghcomp_os_spawn(&worker->handle, worker_main, worker, ghcomp_global.stacksize);
    if (*error == 0)
        return worker;
    ghcomp_wait_worker_leaves();
    ghcomp_stats_remove_thread(worker);
    free(worker);
    return NULL;
}

/* lock pool.lock */
static uint32_t take_free(struct ghcomp_thread **workers, uint32_t count)
{
    uint32_t got = 0;
    while (got < count && pool.free != NULL) {
        workers[got++] = pool.free;
        ghcomp_store_relaxed(&pool.free->free, false);
        pool.free = pool.free->next;
    }
    return got;
}

/* Makes workers[0..count), or as many as can be made, which are the last ones; returns how many. */
static uint32_t make(struct ghcomp_thread **workers, uint32_t count, int *error)
{
    ghcomp_pool_host();
    pthread_mutex_lock(&pool.lock);
    uint32_t first = pool.numbered + 1, made = 0;
    pool.numbered += count;
    pool.created += count;
    pthread_mutex_unlock(&pool.lock);
    /* In descending order. On a busy machine new threads run one after the other, in the order in which they were made.
       Were that the order of their numbers, a team's work would be done in order by chance, and a program might count
       on it (GCC's target-nowait-array-section.f90 tells asynchronous work by its disorder). */
    while (made < count && (workers[count - 1 - made] = create_worker(first + count - 1 - made, error)) != NULL)
        made++;
    if (made < count) {
        pthread_mutex_lock(&pool.lock);
        pool.created -= count - made;
        pthread_mutex_unlock(&pool.lock);
    }
    return made;
}

/* Which workers a take makes. */
enum makes { MAKES_ALL, MAKES_POSSIBLE, MAKES_NONE };

static uint32_t take(struct ghcomp_thread **workers, uint32_t count, int *error, enum makes makes)
{
    *error = 0;
    pthread_mutex_lock(&pool.lock);
    uint32_t got = take_free(workers, count);
    /* Another master that comes in between may find what this one has collected; then there may be more to collect. */
    for (bool more = true; more && got < count && ghcomp_lend_any();) {
        pthread_mutex_unlock(&pool.lock);
        more = ghcomp_lend_collect(count - got);
        pthread_mutex_lock(&pool.lock);
        got += take_free(workers + got, count - got);
    }
    pthread_mutex_unlock(&pool.lock);
    if (got == count)
        return got;
    if (makes == MAKES_NONE || (makes == MAKES_POSSIBLE && !ghcomp_os_threads_available(count - got))) {
        *error = EAGAIN;
        return got;
    }
    uint32_t made = make(workers + got, count - got, error);
    if (made < count - got)
        memmove(workers + got, workers + count - made, made * sizeof *workers);
    return got + made;
}

uint32_t ghcomp_pool_take(struct ghcomp_thread **workers, uint32_t count, int *error)
{
    return take(workers, count, error, MAKES_ALL);
}

uint32_t ghcomp_pool_take_limited(struct ghcomp_thread **workers, uint32_t count, int *error, bool makes)
{
    return take(workers, count, error, makes ? MAKES_POSSIBLE : MAKES_NONE);
}

void ghcomp_pool_give(struct ghcomp_thread **workers, uint32_t count)
{
    if (count == 0)
        return;
    for (uint32_t i = 0; i < count; i++) {
        workers[i]->next = i + 1 < count ? workers[i + 1] : NULL;
        ghcomp_store_relaxed(&workers[i]->free, true);
    }
    pthread_mutex_lock(&pool.lock);
    workers[count - 1]->next = pool.free;
    pool.free = workers[0];
    pthread_mutex_unlock(&pool.lock);
}

void ghcomp_pool_dismiss_told(void)
{
    enum { NAP_NS = 100000000, NAPS = 20 }; /* a worker that its tool holds up must not hold up the process's end */
    uint32_t count = 0, left;
    pthread_mutex_lock(&pool.lock);
    for (const struct ghcomp_thread *worker = pool.free; worker != NULL; worker = worker->next)
        count++;
    pthread_mutex_unlock(&pool.lock);
    ghcomp_add_acqrel(&leaving, count);
    ghcomp_pool_dismiss();
    for (int i = 0; i < NAPS && (left = ghcomp_load_acquire(&leaving)) != 0; i++)
        ghcomp_os_sleep_for(&leaving, left, NAP_NS);
}

static struct ghcomp_thread *take_all_free(void)
{
    pthread_mutex_lock(&pool.lock);
    struct ghcomp_thread *workers = pool.free;
    pool.free = NULL;
    pthread_mutex_unlock(&pool.lock);
    return workers;
}

/* Ends a worker, which frees its struct; returns the next one in its list. */
static struct ghcomp_thread *dismiss(struct ghcomp_thread *worker)
{
    struct ghcomp_thread *next = worker->next;
    worker->mail.team = NULL;
    if (ghcomp_mailbox_post(worker))
        ghcomp_mailbox_wake(worker);
    return next;
}

void ghcomp_pool_dismiss(void)
{
    for (struct ghcomp_thread *worker = take_all_free(); worker != NULL; worker = dismiss(worker))
        ghcomp_os_detach(worker->handle);
}

/* Ends the workers of a list, and returns when they have ended, or after two seconds. */
static void end_all(struct ghcomp_thread *worker)
{
    enum { TOGETHER = 64 }; /* all of these have their last mail before the first one is waited for */
    pthread_t ending[TOGETHER];
    uint64_t left_ns = 2000000000;
    while (worker != NULL) {
        uint32_t count = 0;
        for (; count < TOGETHER && worker != NULL; worker = dismiss(worker))
            ending[count++] = worker->handle;
        for (uint32_t i = 0; i < count; i++)
            left_ns = ghcomp_os_join(ending[i], left_ns);
    }
}

void ghcomp_pool_join(void)
{
    end_all(take_all_free());
}

void ghcomp_pool_take_back(struct ghcomp_thread **workers, uint32_t count)
{
    uint32_t served = 0;
    struct ghcomp_thread *unused = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (workers[i]->served.team != NULL) {
            workers[served++] = workers[i];
        } else {
            workers[i]->next = unused;
            unused = workers[i];
        }
    }
    ghcomp_pool_give(workers, served);
    end_all(unused);
}

void ghcomp_pool_keep_team(struct ghcomp_team *team)
{
    pthread_mutex_lock(&pool.lock);
    team->unused = pool.teams;
    pool.teams = team;
    pthread_mutex_unlock(&pool.lock);
}

struct ghcomp_team *ghcomp_pool_reuse_team(void)
{
    pthread_mutex_lock(&pool.lock);
    struct ghcomp_team *team = pool.teams;
    if (team != NULL)
        pool.teams = team->unused;
    pthread_mutex_unlock(&pool.lock);
    return team;
}

uint32_t ghcomp_pool_created(void)
{
    pthread_mutex_lock(&pool.lock);
    uint32_t created = pool.created;
    pthread_mutex_unlock(&pool.lock);
    return created;
}

/* An RTS that we start has a Capability for each CPU, or fewer when OMP_NUM_THREADS asks for fewer threads: more would
   only give the collector more to stop. 256 is GHC's own limit. */
const struct ghcomp_host *ghcomp_pool_host(void)
{
    uint32_t capabilities = ghcomp_global.num_cpus < 256 ? ghcomp_global.num_cpus : 256;
    if (ghcomp_global.nthreads_set && ghcomp_global.initial.nthreads < capabilities)
        capabilities = ghcomp_global.initial.nthreads;
    ghcomp_host_select(ghcomp_settings.host, capabilities);
    ghcomp_cpu_account_start();
    ghcomp_trace_start();
    return ghcomp_host();
}

void ghcomp_pool_fork_prepare(void)
{
    pthread_mutex_lock(&pool.lock);
}

void ghcomp_pool_fork_parent(void)
{
    pthread_mutex_unlock(&pool.lock);
}

void ghcomp_pool_fork_child(void)
{
    /* The child has no workers. Their structs are left alone: nobody owns the child's copies, and freeing them would
       touch every page for nothing. */
    pool.free = NULL;
    pool.created = pool.numbered = 0;
    ghcomp_wait_fork_child();
    ghcomp_process_generation++;
    pthread_mutex_init(&pool.lock, NULL);
}
