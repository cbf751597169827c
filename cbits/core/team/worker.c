/* A worker's life.
 *
 * A worker waits in one place only, its mailbox (types.h), whether it is free in the pool or kept by a hot team, until
 * it gets mail or is dismissed: there is no time after which it ends. pool.c says who may write the mail.
 *
 *   mail                    what the worker does
 *   a team                  runs its part of the region, then is its master's (team.c)
 *   no team, a function     an errand (ghcomp_pool_send): calls the function, and gives itself back to the pool
 *   no team, no function    dismissed: reports its end, leaves its kind, and frees its struct
 *
 * Sleeping workers. The master collects in team.wake the workers whose word had the waiters bit, and wakes them two at
 * a time. Woken workers take part (team.wake_next, add_acqrel against the master's store_release). The master continues
 * until the list is empty and does not rely on them: a listed worker may have seen its mail without sleeping, and have
 * read the list before it was complete. While the list is incomplete, wake_next is far out of range, and the store that
 * sets it to 0 overwrites additions.
 *
 * Called by pool.c, team.c and fork_tree.c. Covered by test/unit/{team,team_sleep,team_wake}.c and
 * test/conformance/process/thread_exit.c. Explored (test/explore/fork_join.c).
 */
#include "core/team/worker.h"

#include <errno.h>
#include <stdlib.h>

#include "base/check.h"
#include "core/cpu/wait.h"
#include "core/observe/fast_self.h"
#include "core/state/settings.h"
#include "core/sync/mailbox.h"
#include "core/sync/task_team.h"
#include "core/team/agents.h"
#include "core/team/kind.h"
#include "core/team/pool.h"
#include "core/team/team.h"
#include "core/team/threadprivate.h"
#include "core/team/worker_placement.h"
#include "core/tool/tool_filter.h"

void ghcomp_worker_wake_sleepers(struct ghcomp_team *team)
{
    uint32_t next;
    while ((next = ghcomp_add_acqrel(&team->wake_next, 2u)) < ghcomp_load_relaxed(&team->wake_count)) {
        ghcomp_mailbox_wake(team->wake[next]);
        if (next + 1 < ghcomp_load_relaxed(&team->wake_count))
            ghcomp_mailbox_wake(team->wake[next + 1]);
    }
}

/* Helps with the tasks of the region that the worker served last; the worker has passed its door. */
static __attribute__((noinline)) void come_back(struct ghcomp_thread *worker, struct ghcomp_team *team)
{
    bool filtered = ghcomp_tool_on() && team->filtered;
    if (filtered)
        ghcomp_tool_filtered_part_begin(&worker->self);
    ghcomp_task_team_help(&worker->self, team, worker->served.region);
    if (filtered)
        ghcomp_tool_filtered_part_end(&worker->self);
}

/* Waits for the next mail. Meanwhile helps with the tasks of the region that the worker served last, if any come up
   (task_team.c, steps 1 and 2). Like ghcomp_wait_change, but the bit is set before the last check of the door. */
static uint32_t wait_for_mail(struct ghcomp_thread *worker, uint32_t seen, bool *slept)
{
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_MAIL);
    uint32_t value;
    bool to_sleep = false; /* the spinning is over; the waiters bit is set */
    *slept = false;
    while (((value = ghcomp_load_acquire(&worker->mail.word)) & ~1u) == seen) {
        struct ghcomp_team *team = worker->served.team;
        if (team != NULL && ghcomp_unlikely(ghcomp_task_team_wants(team, worker->served.region)) &&
            ghcomp_task_team_enter(team, worker->served.region)) {
            come_back(worker, team);
            spin = ghcomp_spin_start(GHCOMP_WAIT_MAIL);
            to_sleep = false;
            continue;
        }
        if (!to_sleep && ghcomp_spin_again(&spin))
            continue;
        to_sleep = value == seen;
        if (to_sleep) {
            ghcomp_cas_seqcst(&worker->mail.word, &value, seen | 1u);
            continue;
        }
        ghcomp_wait_park(&worker->mail.word, seen | 1u);
        *slept = true;
    }
    return value & ~1u;
}

/* Workers dismissed for the tool that have not reported their end yet; add_acqrel, load_acquire. */
static _Atomic uint32_t leaving;

static void report_end(struct ghcomp_thread *worker)
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

void ghcomp_worker_expect_reports(uint32_t count)
{
    ghcomp_add_acqrel(&leaving, count);
}

void ghcomp_worker_await_reports(void)
{
    enum { NAP_NS = 100000000, NAPS = 20 }; /* two seconds at most: a worker that a tool delays must not delay the
                                               process's end */
    uint32_t left;
    for (int i = 0; i < NAPS && (left = ghcomp_load_acquire(&leaving)) != 0; i++)
        ghcomp_os_sleep_for(&leaving, left, NAP_NS);
}

static inline void be_placed(struct ghcomp_thread *worker)
{
    if (ghcomp_unlikely(worker->mail.cpu >= 0 || worker->placement.pinned != 0))
        ghcomp_worker_placement_apply(worker);
}

static void run_errand(struct ghcomp_thread *worker)
{
    ghcomp_self_idles(worker);
    be_placed(worker);
    ghcomp_float_control_take(worker->mail.float_control);
    void (*fn)(void *) = worker->mail.fn;
    fn(worker->mail.data);
    ghcomp_self_idles(worker);
    ghcomp_pool_give(&worker, 1);
    if (fn == ghcomp_agents_errand)
        ghcomp_agents_returned();
    ghcomp_thread_worker_returned();
}

static void *worker_main(void *argument)
{
    struct ghcomp_thread *worker = argument;
    ghcomp_self_idles(worker);
    ghcomp_kind_born(worker);
    ghcomp_host_worker_start(worker->number);
    if (ghcomp_tool_on())
        ghcomp_tool_thread_begin(worker, ompt_thread_worker);
    uint32_t seen = 0;
    for (;;) {
        bool slept;
        seen = wait_for_mail(worker, seen, &slept);
        struct ghcomp_team *team = worker->mail.team;
        if (ghcomp_unlikely(team == NULL)) {
            if (worker->mail.fn == NULL)
                break;
            run_errand(worker);
            continue;
        }
        /* In a fork tree each sleeper is woken by the thread that posts to it (fork_tree.c). */
        if (slept && team->size > 3 && !(team->by_tree && worker->mail.until != 0))
            ghcomp_worker_wake_sleepers(team);
        ghcomp_float_control_take(worker->mail.float_control);
        be_placed(worker);
        ghcomp_team_run_worker(worker);
    }
    ghcomp_threadprivate_destroy_of_worker(worker);
    report_end(worker);
    ghcomp_host_worker_stop();
    ghcomp_wait_worker_leaves();
    ghcomp_team_forget(&worker->self);
    ghcomp_pool_leave(worker);
    ghcomp_kind_loses(worker->kin.made_for);
    ghcomp_self_becomes(&ghcomp_outsider); /* queries that come while the struct is freed get the outsider's results */
    ghcomp_thread_free(worker);
    ghcomp_self_becomes(NULL); /* destructors of the program that run later may register the thread again */
    return NULL;
}

struct ghcomp_thread *ghcomp_worker_create(uint32_t number, const struct ghcomp_thread *master, bool patient,
                                           int *error)
{
    struct ghcomp_thread *worker = ghcomp_try_alloc_lines(sizeof *worker);
    if (worker == NULL) {
        *error = ENOMEM;
        return NULL;
    }
    worker->number = number;
    worker->self.thread = worker;
    worker->self.credits = ghcomp_tool_no_credits;
    worker->kin.made_for = ghcomp_load_relaxed(&master->kin.kind);
    ghcomp_store_relaxed(&worker->kin.kind, worker->kin.made_for);
    worker->kin.served = master->kin.name;
    ghcomp_outside_init(&worker->idle, worker);
    ghcomp_stats_add_thread(worker);
    ghcomp_add_relaxed(&ghcomp_cpu_load.awake, 1u);
    *error = (patient ? ghcomp_os_spawn : ghcomp_os_spawn_at_once)(&worker->handle, worker_main, worker,
                                                                   ghcomp_global.stacksize);
    if (*error == 0)
        return worker;
    ghcomp_wait_worker_leaves();
    ghcomp_stats_remove_thread(worker);
    free(worker);
    return NULL;
}

struct ghcomp_thread *ghcomp_worker_dismiss(struct ghcomp_thread *worker)
{
    struct ghcomp_thread *next = worker->next;
    worker->mail.team = NULL;
    worker->mail.fn = NULL;
    if (ghcomp_mailbox_post(worker))
        ghcomp_mailbox_wake(worker);
    return next;
}

void ghcomp_worker_dismiss_list(struct ghcomp_thread *worker)
{
    while (worker != NULL) {
        ghcomp_os_detach(worker->handle);
        worker = ghcomp_worker_dismiss(worker);
    }
}
