/* Free agents: idle workers of the process run tasks of teams that they are no members of (OpenMP 6.0, section 14.8,
 * threadset(omp_pool)): of a team of one or of many, and of an initial thread that is in no region.
 *
 * Such tasks go to the team's queue (task_threadset.c), where its members find them as before. In addition the thread
 * that puts one there calls an agent, if there may be one more:
 *
 *   1. It counts the agent in `agents`, takes a seat in the team (seats.h), and takes a worker as a master would: a
 *      free one of its kind (kind.c), one that other masters lend (lend.c), or a new one. The idle hot teams of the
 *      thread's own members give theirs up first: they are between regions as long as the thread is elsewhere.
 *   2. The worker gets an errand (worker.c). It sits down: it becomes the seat's member, whose team is the task's. So
 *      all that a task does there (children, taskwait, taskgroup, dependences, cancellation, ICVs, nested regions) is
 *      as on a member; only its thread number is none of the team's.
 *   3. It runs tasks from the queue that agents may run, one after the other. When there is none for IDLE it counts
 *      itself out of `agents` (sub_acqrel), and looks at the list of teams with *left* tasks (left.c). A thread that
 *      puts a task into the queue and cannot call an agent, since there are enough, lists its team, and then reads
 *      `agents` once more, by add_acqrel of 0: if that comes first the agent sees the list, otherwise the thread calls
 *      one. So no task lies there only because the last agent has just stopped looking, or was busy elsewhere. In a
 *      team of one whose thread can call none, and that none will look for, the thread runs a task itself. A task that
 *      the agent may not take (its worker is of another kind, a limit is reached, no seat is free, a master recalls
 *      agents) waits for its team's next task with the clause, or for a member's scheduling point. The agent also
 *      leaves, at the end of a task, when a region wants workers and finds none (`recalls`; the master waits for
 *      RECALL, and makes a worker then), and when the account has more threads than CPUs. But in teams of one it stays
 *      while tasks are there, for a small share of the CPUs (agent_share.c): the team's thread may wait for them in
 *      Haskell, or poll.
 *   4. It leaves the team (seats.h: from then on it touches nothing of the team). If it has found a left task in a team
 *      of its kind, for which it was counted in again under the list's lock, it goes on there from step 2. Before it
 *      goes to another team it makes sure that it has not changed, as a master does that takes another one's worker.
 *   5. It goes back to the pool, and only then is counted out of `away`: a master that has recalled it finds it there.
 *
 * Since an agent is a worker that its caller has taken, no region waits for it: a hot team that has given its workers
 * up takes others, as after lending. So a task on an agent may wait for what any region does.
 *
 * What agents run. Only tasks with the clause; they take neither from deques nor other tasks from the queue. The
 * children of their tasks without the clause go to the queue for the members ("may only be scheduled onto threads of
 * the current team"), because programs index arrays by thread number there. An agent is never `fast` (fast_self.h), so
 * the entries of clang's code can tell. In a team of one a task of gcc's code runs at once, on an agent, too.
 *
 * How many. In the process as many as there are CPUs beside one thread, and for a team as many as there are beside its
 * threads: a team as large as the machine gets none, and its tasks with the clause are like the others.
 * OMP_THREADS_RESERVE="free_agent(n)" reserves n, for which no CPU is counted. OMP_THREAD_LIMIT and OMP_THREADS_RESERVE
 * limit those of a contention group. With a tool that filters there are none.
 *
 * Ends. Tasks with the clause are deferred in a team of one, too, so the end of the process, of an initial thread and
 * of a league's team wait for those that are left. In the child of fork() agents are lost, as other threads are.
 *
 * The end of a main of Haskell's waits for no thread of the program (ghcomp_host_over). A task that has called Haskell
 * may never return then: GHC's RTS ends its thread, or keeps it when it comes back from C. One that calls Haskell later
 * ends the process with an error. So neither the process's end nor that of a thread waits for tasks from then on, and
 * agents begin none.
 *
 * Called by task_threadset.c, pool.c, worker.c, thread.c. Covered by test/unit/agents.c, test/clang/free_agents*.c,
 * test/ompt/free_agents.c, test/hs/runtime/Pool.hs. Explored (test/explore/agents.c). */
#include "core/team/agents.h"

#include "base/check.h"
#include "core/affinity/affinity.h"
#include "core/observe/fast_self.h"
#include "core/state/settings.h"
#include "core/sync/seats.h"
#include "core/sync/task_team.h"
#include "core/task/task.h"
#include "core/task/taskdep.h"
#include "core/team/agent_share.h"
#include "core/team/kind.h"
#include "core/team/left.h"
#include "core/team/lend.h"
#include "core/team/pool.h"
#include "core/team/team.h"
#include "core/tool/tool.h"
#include "core/tool/tool_filter.h"
#include "host/host.h"

enum { MOST = 64 };
enum {
    IDLE_TICKS = 5 * GHCOMP_TICKS_PER_US,    /* barriers wait for agents that wait for tasks */
    AGAIN_TICKS = 100 * GHCOMP_TICKS_PER_US, /* after a call that found no worker or no CPU */
    RECALL_TICKS = 20 * GHCOMP_TICKS_PER_US  /* less than it takes to make a worker */
};

/* Workers that look for tasks, or are about to: step 3. */
static _Atomic uint32_t agents GHCOMP_ALIGNED_PAIR;
/* Workers that are not in the pool because they are agents, or have been: add_relaxed, sub_acqrel, load_acquire. */
static _Atomic uint32_t away;
/* Masters that wait for agents to come back; atomic(relaxed): a hint. */
static _Atomic uint32_t recalls;
/* Before this time, in ticks, no call will find a worker; atomic(relaxed): a hint. */
static _Atomic uint64_t not_before;

/* --- how many ----------------------------------------------------------------------------------------------------- */

/* How many there may be in the process when a team of that size calls one more. */
static uint32_t most_beside(uint32_t size)
{
    uint32_t cpus = ghcomp_global.num_cpus, beside = cpus > size ? cpus - size : 0, least = ghcomp_agents_reserved();
    beside = beside < least ? least : beside;
    return beside < MOST ? beside : MOST;
}

uint32_t ghcomp_agents_most(void)
{
    return most_beside(1);
}

bool ghcomp_agents_may_come(const struct ghcomp_member *self)
{
    return most_beside(self->team->size) != 0 && self->task->icv->thread_limit > ghcomp_settings.reserved.structured &&
           !ghcomp_tool_filters();
}

static bool may_call(const struct ghcomp_member *self)
{
    uint64_t until = ghcomp_load_relaxed(&not_before);
    return ghcomp_add_acqrel(&agents, 0u) < most_beside(self->team->size) && ghcomp_load_relaxed(&recalls) == 0 &&
           (until == 0 || (int64_t)(ghcomp_cpu_ticks() - until) >= 0);
}

static bool count_in(uint32_t most)
{
    uint32_t count = ghcomp_load_relaxed(&agents);
    do
        if (count >= most)
            return false;
    while (!ghcomp_cas_acqrel(&agents, &count, count + 1));
    return true;
}

static void count_out(void)
{
    ghcomp_sub_acqrel(&agents, 1u);
}

void ghcomp_agents_returned(void)
{
    ghcomp_sub_acqrel(&away, 1u);
}

/* free-agent-thread-limit-var is thread-limit-var less the structured threads that are reserved (section 4.3.10), which
   are fewer (ghcomp_agents_may_come). */
static bool enter_group(struct ghcomp_group *group, uint32_t limit)
{
    uint32_t count = ghcomp_load_relaxed(&group->agents), structured = ghcomp_settings.reserved.structured;
    do
        if (count >= limit - structured || ghcomp_load_relaxed(&group->threads) + count >= limit)
            return false;
    while (!ghcomp_cas_weak_relaxed(&group->agents, &count, count + 1));
    return true;
}

static const struct ghcomp_seat *seat_of(const struct ghcomp_member *agent)
{
    return (const struct ghcomp_seat *)((const char *)agent - offsetof(struct ghcomp_seat, member));
}

static void leave_group(struct ghcomp_seat *seat)
{
    if (seat->group != NULL)
        ghcomp_sub_relaxed(&seat->group->agents, 1u);
    seat->group = NULL;
}

/* --- an agent ----------------------------------------------------------------------------------------------------- */

static void sit_down(struct ghcomp_thread *worker, struct ghcomp_seat *seat)
{
    struct ghcomp_member *self = &seat->member;
    struct ghcomp_team *team = self->team;
    struct ghcomp_task *task = &self->implicit;
    self->thread = worker;
    self->task = task;
    self->share = team->root;
    self->partition_len = ghcomp_affinity.places.count;
    self->credits = ghcomp_tool_no_credits;
    task->icv = team->icv;
    task->executor = self;
    ghcomp_store_relaxed(&task->parent, team->parent_task);
    worker->in_group = seat->group != NULL ? seat->group : team->group;
    ghcomp_self_becomes(self);
    if (ghcomp_unlikely(ghcomp_tool_on()))
        ghcomp_tool_agent_begin(self);
}

static void stand_up(struct ghcomp_thread *worker, struct ghcomp_member *self)
{
    if (ghcomp_unlikely(self->implicit.table != NULL))
        ghcomp_depend_forget(&self->implicit);
    if (ghcomp_unlikely(ghcomp_tool_on()))
        ghcomp_tool_agent_end(self);
    ghcomp_team_forget(self);
    ghcomp_self_idles(worker);
}

static bool is_recalled(void)
{
    return ghcomp_load_relaxed(&recalls) != 0 || ghcomp_host_over();
}

/* Whether the agent stays after a task, if it is not recalled. In a team of one there may be no other thread that
   comes for the next one. */
static bool stays(struct ghcomp_team *team, struct ghcomp_agent_share *share)
{
    if (!ghcomp_agent_cpu_is_wanted(share))
        return true;
    if (team->size == 1 && ghcomp_task_queue_has_pool(team))
        ghcomp_agent_rests(share);
    return team->size == 1;
}

/* The next task; NULL: there was none for a while. */
static struct ghcomp_task *next(struct ghcomp_team *team)
{
    struct ghcomp_task *task;
    uint64_t begin = ghcomp_cpu_ticks();
    if (ghcomp_host_over())
        return NULL;
    while ((task = ghcomp_task_queue_get_pool(team, NULL)) == NULL && ghcomp_cpu_ticks() - begin < IDLE_TICKS)
        ghcomp_cpu_pause();
    return task;
}

/* Runs tasks until there are none, or the agent does not stay. Either way it is counted out. False: it is recalled.
   `task`: the first one, or NULL. */
static bool work(struct ghcomp_member *self, struct ghcomp_task *task, struct ghcomp_agent_share *share)
{
    struct ghcomp_team *team = self->team;
    for (; task != NULL || (task = next(team)) != NULL; task = NULL) {
        ghcomp_task_run(self, task);
        bool recalled = is_recalled();
        if (!recalled && stays(team, share))
            continue;
        if (ghcomp_task_queue_has_pool(team) && !ghcomp_left_listed(team))
            ghcomp_left_list(self, ghcomp_pool_kind(self->thread, false));
        count_out();
        return !recalled;
    }
    count_out();
    return true;
}

static void pause_calls(void)
{
    uint64_t until = ghcomp_cpu_ticks() + AGAIN_TICKS;
    ghcomp_store_relaxed(&not_before, until != 0 ? until : 1);
}

/* False: the agent is recalled. */
static bool visit(struct ghcomp_thread *worker, struct ghcomp_seat *seat, struct ghcomp_task *first,
                  struct ghcomp_agent_share *share)
{
    sit_down(worker, seat);
    bool free = work(&seat->member, first, share);
    stand_up(worker, &seat->member);
    leave_group(seat);
    return free;
}

static void leave(struct ghcomp_seat *seat)
{
    struct ghcomp_team *team = seat->member.team;
    ghcomp_seats_give(seat);
    ghcomp_task_count_outside(team);
}

/* lock left.lock, as the next one. */
static bool admit(struct ghcomp_left_visit *visit)
{
    const struct ghcomp_left *left = visit->left;
    struct ghcomp_seats *seats = ghcomp_load_relaxed(&left->team->seats);
    bool limited = left->limit != GHCOMP_NO_LIMIT;
    if (visit->shares && left->team->size != 1)
        return false;
    if (left->kind != visit->worker->kin.made_for->number || (!visit->anywhere && left->team != visit->own) ||
        !count_in(most_beside(left->team->size)))
        return false;
    if (!limited || enter_group(left->group, left->limit)) {
        if ((visit->seat = ghcomp_seats_take_free(seats)) != NULL) {
            visit->seat->group = limited ? left->group : NULL;
            return true;
        }
        if (limited)
            ghcomp_sub_relaxed(&left->group->agents, 1u);
    }
    count_out();
    return false;
}

static void refuse(struct ghcomp_left_visit *visit)
{
    leave_group(visit->seat);
    ghcomp_seats_give(visit->seat);
    count_out();
}

/* Step 4, for an agent that still has its seat. False: there is no left task for it. It may have been changed by the
   tasks of each team that it was in, so it looks again before each other one. */
static bool find_left(struct ghcomp_left_visit *visit, struct ghcomp_thread *worker, const struct ghcomp_seat *seat,
                      struct ghcomp_agent_share *share)
{
    if (!ghcomp_left_any() || is_recalled())
        return false;
    *visit = (struct ghcomp_left_visit){
        .worker = worker, .own = seat->member.team, .shares = ghcomp_agent_cpu_is_wanted(share)};
    if (visit->shares)
        ghcomp_agent_rests(share);
    if (ghcomp_left_take(visit, admit, refuse))
        return true;
    visit->anywhere = ghcomp_left_any() && ghcomp_pool_serves_others(worker);
    return visit->anywhere && ghcomp_left_take(visit, admit, refuse);
}

/* On the seat that the caller has taken, and then where tasks are left. */
static struct ghcomp_seat *visit_all(struct ghcomp_thread *worker, struct ghcomp_seat *seat,
                                     struct ghcomp_agent_share *share)
{
    struct ghcomp_left_visit found;
    for (bool free = visit(worker, seat, NULL, share); free && find_left(&found, worker, seat, share);) {
        leave(seat);
        seat = found.seat;
        ghcomp_float_control_take(found.float_control);
        free = visit(worker, seat, found.task, share);
    }
    return seat;
}

/* The account is left before the last team: none of its regions' threads is in it when they have ended. */
void ghcomp_agents_errand(void *data)
{
    struct ghcomp_seat *seat = data;
    struct ghcomp_agent_share share;
    ghcomp_agent_share_begin(&share);
    if (!share.guest || seat->member.team->size == 1) {
        if (share.guest)
            ghcomp_agent_rests(&share);
        seat = visit_all(ghcomp_self_member->thread, seat, &share);
    } else {
        count_out();
        pause_calls();
        leave_group(seat);
    }
    ghcomp_agent_share_end(&share);
    leave(seat);
}

/* --- calling one -------------------------------------------------------------------------------------------------- */

/* The thread's idle hot teams: of the current member, and of those from whose regions it has come. */
static void give_up_idle_teams(struct ghcomp_member *self)
{
    const struct ghcomp_thread *thread = self->thread;
    const struct ghcomp_team *inside = NULL;
    while (self != NULL && self->thread == thread) {
        struct ghcomp_team *hot = self->hot;
        if (hot != NULL && hot != inside && hot->generation == ghcomp_process_generation) {
            ghcomp_lend_reclaim(hot);
            if (hot->size > 1)
                ghcomp_team_dismiss(hot);
        }
        inside = self->team;
        self = inside->parent;
    }
}

static bool send(struct ghcomp_member *self, struct ghcomp_seat *seat)
{
    struct ghcomp_thread *worker;
    give_up_idle_teams(self);
    ghcomp_add_relaxed(&away, 1u);
    if (!ghcomp_pool_take_agent(&worker)) {
        ghcomp_agents_returned();
        return false;
    }
    ghcomp_pool_send(worker, ghcomp_agents_errand, seat);
    return true;
}

/* The number of a team's seats: twice the agents, since one that has counted itself out keeps its seat for a moment. */
static uint32_t seats(void)
{
    return 2 * ghcomp_agents_most();
}

static void wait_at_exit(void)
{
    struct ghcomp_member *self = ghcomp_self_member;
    if (self != NULL && self == &self->thread->self && self->thread->number == 0)
        ghcomp_agents_thread_ends(self);
}

static void prepare(void)
{
    if (atexit(wait_at_exit) != 0)
        ghcomp_warn("out of memory: the process's end does not wait for tasks of free agents");
}

static __attribute__((noinline)) bool call(struct ghcomp_member *self)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct ghcomp_group *group = NULL;
    uint32_t limit = self->task->icv->thread_limit;
    pthread_once(&once, prepare);
    if (!count_in(most_beside(self->team->size)))
        return false;
    if (limit != GHCOMP_NO_LIMIT && !enter_group(group = self->thread->in_group, limit)) {
        count_out();
        return false;
    }
    struct ghcomp_seat *seat = ghcomp_seats_take(self, seats());
    if (seat != NULL) {
        seat->group = group;
        if (send(self, seat))
            return true;
        ghcomp_seats_untake(seat);
    }
    if (group != NULL)
        ghcomp_sub_relaxed(&group->agents, 1u);
    count_out();
    pause_calls();
    return false;
}

bool ghcomp_agents_call(struct ghcomp_member *self)
{
    bool listed = ghcomp_left_listed(self->team);
    if (may_call(self) && call(self))
        return true;
    if (!listed) {
        ghcomp_seats_ready(self, seats());
        ghcomp_left_list(self, ghcomp_pool_kind(self->thread, false));
        if (may_call(self) && call(self))
            return true;
    }
    return ghcomp_load_relaxed(&agents) > ghcomp_agent(self);
}

/* --- regions that want workers, and ends -------------------------------------------------------------------------- */

bool ghcomp_agents_recall(void)
{
    uint32_t before = ghcomp_load_relaxed(&away), own = ghcomp_agent(ghcomp_self()) ? 1 : 0;
    if (ghcomp_likely(before <= own))
        return false;
    ghcomp_add_relaxed(&recalls, 1u);
    uint64_t begin = ghcomp_cpu_ticks();
    while (ghcomp_load_acquire(&away) >= before && ghcomp_cpu_ticks() - begin < RECALL_TICKS)
        ghcomp_cpu_pause();
    ghcomp_sub_relaxed(&recalls, 1u);
    return ghcomp_load_acquire(&away) < before;
}

void ghcomp_agents_finish(struct ghcomp_member *self)
{
    struct ghcomp_seats *seats = ghcomp_load_relaxed(&self->team->seats);
    if (ghcomp_likely(seats == NULL) || self->team->size != 1)
        return;
    if (self->team->generation == ghcomp_process_generation)
        ghcomp_task_team_drain(self);
    ghcomp_left_forget(&seats->left);
}

void ghcomp_agents_thread_ends(struct ghcomp_member *self)
{
    if (!ghcomp_host_over())
        ghcomp_agents_finish(self);
}

void ghcomp_agents_fork_child(const struct ghcomp_member *self)
{
    uint32_t itself = self != NULL && ghcomp_agent(self) ? 1 : 0;
    ghcomp_store_relaxed(&agents, itself);
    ghcomp_store_relaxed(&away, itself);
    ghcomp_store_relaxed(&recalls, 0u);
    ghcomp_left_fork_child();
    bool counted = itself != 0 && seat_of(self)->group != NULL;
    if (self != NULL && self->thread->in_group != NULL)
        ghcomp_store_relaxed(&self->thread->in_group->agents, counted ? 1u : 0u);
}
