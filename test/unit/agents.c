/* Free agents: tasks with threadset(omp_pool) of a team of one run beside it, on the workers of its idle teams; no
   region waits for the worker of an agent; limits of the contention group and of the CPUs; what is left at the end of a
   thread and of the process has run; fork(); and masters with agents, regions and tasks of tasks at the same time. Each
   case is a process of its own. Runs under ASan+UBSan and TSan. */
#include "process.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/cpu/cpu_account.h"
#include "core/state/icv.h"
#include "core/state/settings.h"
#include "core/sync/barrier.h"
#include "core/sync/seats.h"
#include "core/task/task.h"
#include "core/task/taskgroup.h"
#include "core/team/agents.h"
#include "core/team/cancel.h"
#include "core/team/left.h"
#include "core/team/pool.h"
#include "core/team/team.h"

static _Atomic int ran, inside, most_inside, on_agents, gate, begun;

static void make_of(enum ghcomp_threadset threads, void (*fn)(void *), long value)
{
    struct ghcomp_member *self = ghcomp_self();
    struct ghcomp_task *task = ghcomp_task_new(self, fn, sizeof value, sizeof value, 0);
    *(long *)task->data = value;
    if (threads == GHCOMP_THREADSET_POOL)
        ghcomp_task_threadset(task, threads);
    ghcomp_task_submit(self, task);
}

static void make(void (*fn)(void *), long value)
{
    make_of(GHCOMP_THREADSET_POOL, fn, value);
}

static void await(_Atomic int *flag, int value)
{
    while (ghcomp_load_acquire(flag) < value)
        ghcomp_os_yield();
}

static void count(void *data)
{
    (void)data;
    int now = ghcomp_add_acqrel(&inside, 1) + 1, most = ghcomp_load_relaxed(&most_inside);
    while (now > most && !ghcomp_cas_relaxed(&most_inside, &most, now))
        continue;
    if (ghcomp_agent(ghcomp_self()))
        ghcomp_add_relaxed(&on_agents, 1);
    for (int i = 0; i < 20; i++)
        ghcomp_cpu_pause();
    ghcomp_sub_acqrel(&inside, 1);
    ghcomp_add_acqrel(&ran, 1);
}

static void hold(void *data)
{
    CHECK(ghcomp_agent(ghcomp_self()));
    ghcomp_add_acqrel(&begun, 1);
    await(&gate, (int)*(long *)data);
    ghcomp_add_acqrel(&ran, 1);
}

static void reset(void)
{
    ghcomp_store_relaxed(&ran, 0);
    ghcomp_store_relaxed(&on_agents, 0);
    ghcomp_store_relaxed(&most_inside, 0);
    ghcomp_store_relaxed(&begun, 0);
    ghcomp_store_relaxed(&gate, 0);
}

static void reserve(uint32_t agents)
{
    ghcomp_settings.reserved.agents = agents;
}

static void nothing(void *data)
{
    (void)data;
}

static void beside_the_initial_task(void)
{
    reserve(3);
    for (int round = 0; round < 20; round++) {
        reset();
        make(hold, 1);
        await(&begun, 1); /* an agent runs it, and this thread is at no scheduling point */
        for (int i = 0; i < 300; i++)
            make(count, 0);
        ghcomp_store_release(&gate, 1);
        ghcomp_task_wait(ghcomp_self());
        CHECK_EQUAL(301, ghcomp_load_acquire(&ran));
        CHECK(ghcomp_load_relaxed(&most_inside) <= 4);
    }
}

/* Without OMP_THREADS_RESERVE there is none on one CPU: the task runs at once. */
static void none_on_one_cpu(void)
{
    ghcomp_global.num_cpus = 1;
    make(count, 0);
    CHECK_EQUAL(1, ghcomp_load_acquire(&ran));
    CHECK_EQUAL(0, ghcomp_pool_created());
    CHECK(ghcomp_self()->team->seats == NULL);
}

/* Nor for a team as large as the machine. */
static void in_full_team(void *data)
{
    (void)data;
    CHECK(!ghcomp_agents_may_come(ghcomp_self()));
    for (int i = 0; i < 100; i++)
        make(count, 0);
}

static void none_beside_a_full_team(void)
{
    ghcomp_global.num_cpus = 2;
    ghcomp_team_parallel(in_full_team, NULL, 2, 0);
    CHECK_EQUAL(200, ghcomp_load_acquire(&ran));
    CHECK_EQUAL(0, ghcomp_load_relaxed(&on_agents));
    CHECK_EQUAL(1, ghcomp_pool_created());
}

static void set_limit(uint32_t limit)
{
    struct ghcomp_task *task = ghcomp_self()->task;
    ghcomp_icv_own(task)->thread_limit = limit;
}

/* OMP_THREAD_LIMIT counts agents, and regions have what is left; reservations move the bounds. */
static _Atomic int size_of_region;

static void note_size(void *data)
{
    (void)data;
    ghcomp_store_relaxed(&size_of_region, (int)ghcomp_self()->team->size);
}

static int region_size(uint32_t size)
{
    ghcomp_team_parallel(note_size, NULL, size, 0);
    return ghcomp_load_relaxed(&size_of_region);
}

static void within_the_thread_limit(void)
{
    reserve(0);
    ghcomp_global.num_cpus = 8;
    set_limit(1);
    make(count, 0);
    CHECK_EQUAL(1, ghcomp_load_acquire(&ran)); /* at once */
    set_limit(4);
    CHECK_EQUAL(4, region_size(6));
    reset();
    for (int i = 0; i < 2; i++) {
        make(hold, 1);
        await(&begun, i + 1);
    }
    CHECK_EQUAL(2, region_size(6)); /* two agents are away */
    ghcomp_store_release(&gate, 1);
    ghcomp_task_wait(ghcomp_self());
    reserve(2);
    CHECK_EQUAL(2, region_size(6));
    ghcomp_settings.reserved.structured = 4;
    reset();
    make(count, 0);
    CHECK_EQUAL(1, ghcomp_load_acquire(&ran));
    CHECK_EQUAL(0, ghcomp_load_relaxed(&on_agents));
}

/* An agent's task waits for what a region does: the region takes other workers. */
static void open_gate(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_barrier_wait(self);
    if (self->tid == self->team->size - 1)
        ghcomp_add_acqrel(&gate, 1);
}

static void regions_do_not_wait(void)
{
    reserve(2);
    ghcomp_team_parallel(nothing, NULL, 3, 0);
    CHECK_EQUAL(2, ghcomp_pool_created());
    for (int round = 1; round <= 20; round++) {
        reset();
        make(hold, 1);
        await(&begun, 1);
        ghcomp_team_parallel(open_gate, NULL, 3, 0);
        ghcomp_task_wait(ghcomp_self());
        CHECK_EQUAL(1, ghcomp_load_acquire(&ran));
    }
}

/* The idle team of the thread itself gives its workers; of a region of one inside, too. */
static void in_region_of_one(void *data)
{
    (void)data;
    CHECK_EQUAL(1, ghcomp_self()->team->size);
    make(hold, 1);
    await(&begun, 1);
    ghcomp_store_release(&gate, 1);
}

static void idle_teams_give_workers(void)
{
    reserve(1);
    for (int round = 0; round < 5; round++) {
        ghcomp_team_parallel(nothing, NULL, 2, 0);
        reset();
        ghcomp_team_parallel(in_region_of_one, NULL, 1, 0);
        CHECK_EQUAL(1, ghcomp_load_acquire(&ran)); /* the region's end has waited */
    }
    CHECK(ghcomp_pool_created() <= 2);
}

/* The only agent is busy for one master when another one makes a task. When it becomes free it runs that, though
   neither master comes to a scheduling point. In a region of one thread, too. */
static _Atomic int of_other, may_end;

static void run_for_other(void *data)
{
    (void)data;
    CHECK(ghcomp_agent(ghcomp_self()));
    ghcomp_add_acqrel(&of_other, 1);
}

static void other_masters_part(void *data)
{
    (void)data;
    int before = ghcomp_load_acquire(&of_other);
    make(run_for_other, 0);
    make(run_for_other, 0);
    ghcomp_add_acqrel(&gate, 1);
    await(&of_other, before + 2);
}

static void *other_master(void *region)
{
    if (region != NULL)
        ghcomp_team_parallel(other_masters_part, NULL, 1, 0);
    else
        other_masters_part(NULL);
    await(&may_end, 1);
    return NULL;
}

static void left_tasks_find_an_agent(void)
{
    static int in_region;
    reserve(1);
    for (int round = 0; round < 20; round++) {
        pthread_t thread;
        reset();
        ghcomp_store_relaxed(&may_end, 0);
        make(hold, 1);
        await(&begun, 1);
        CHECK(pthread_create(&thread, NULL, other_master, round % 2 ? &in_region : NULL) == 0);
        await(&of_other, 2 * round + 2);
        CHECK_EQUAL(1, ghcomp_load_acquire(&ran));
        ghcomp_store_release(&may_end, 1);
        CHECK(pthread_join(thread, NULL) == 0);
        ghcomp_task_wait(ghcomp_self());
    }
}

/* The only agent changes its thread in a task that another master has left; a third master's task is not for it. */
static _Atomic int changed, agents_thread, noted;

static void change_thread(void *data)
{
    (void)data;
    CHECK(ghcomp_agent(ghcomp_self()));
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    ghcomp_store_relaxed(&agents_thread, (int)syscall(SYS_gettid));
    ghcomp_store_release(&changed, 1);
    await(&gate, 2);
}

static void note_privileges(void *data)
{
    (void)data;
    CHECK_EQUAL(0, prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    ghcomp_add_acqrel(&noted, 1);
}

/* Whether the thread of that number is there and at work, not asleep. */
static bool runs(int thread)
{
    char path[64], state = 'X';
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
            state = 'X';
        fclose(file);
    }
    return state == 'R';
}

static void *second_master(void *unused)
{
    make(change_thread, 0);
    ghcomp_add_acqrel(&gate, 1);
    await(&may_end, 1);
    return unused;
}

static void *third_master(void *unused)
{
    make(note_privileges, 0);
    ghcomp_add_acqrel(&gate, 1);
    while (ghcomp_load_acquire(&noted) == 0 && runs(ghcomp_load_relaxed(&agents_thread)))
        ghcomp_os_yield();
    ghcomp_task_wait(ghcomp_self());
    return unused;
}

/* A master whose team is listed has left its kind, which has ended, and the kind of another master got its memory: that
   one's agents are no kin of the first one. (Nothing is shown where freed memory is kept, as by AddressSanitizer.) */
static _Atomic int turn, left_on_agent;
static const struct ghcomp_kind *ended_kind;

static const struct ghcomp_kind *become_nice(int value)
{
    CHECK(setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), value) == 0);
    return ghcomp_pool_kind(ghcomp_self()->thread, true);
}

static void note_agent(void *data)
{
    (void)data;
    ghcomp_store_relaxed(&left_on_agent, ghcomp_agent(ghcomp_self()));
}

static void *leaves_its_kind(void *unused)
{
    ended_kind = become_nice(1);
    make(note_agent, 0); /* the only agent is busy: listed */
    become_nice(2);
    ghcomp_store_release(&turn, 1);
    await(&turn, 4);
    ghcomp_task_wait(ghcomp_self());
    CHECK_EQUAL(0, ghcomp_load_relaxed(&left_on_agent));
    return unused;
}

static void make_one(void *data)
{
    (void)data;
    make(count, 0);
    await(&on_agents, 1);
}

static void *has_its_memory(void *unused)
{
    enum { NICEST = 19 };
    int nice = 3;
    while (become_nice(nice) != ended_kind && nice < NICEST)
        nice++;
    ghcomp_store_release(&turn, 2);
    await(&turn, 3);
    ghcomp_team_parallel(make_one, NULL, 1, 0); /* its end: the agent has left, for the other team if for any */
    ghcomp_store_release(&turn, 4);
    return unused;
}

static void busy_until_then(void *data)
{
    pthread_t *threads = data;
    make(hold, 1);
    await(&begun, 1);
    CHECK(pthread_create(&threads[0], NULL, leaves_its_kind, NULL) == 0);
    await(&turn, 1);
    CHECK(pthread_create(&threads[1], NULL, has_its_memory, NULL) == 0);
    await(&turn, 2);
    ghcomp_store_release(&gate, 1);
}

static void an_ended_kind_has_no_kin(void)
{
    pthread_t threads[2];
    reserve(1);
    ghcomp_team_parallel(busy_until_then, threads, 1, 0);
    ghcomp_store_release(&turn, 3); /* there is no agent */
    CHECK(pthread_join(threads[0], NULL) == 0 && pthread_join(threads[1], NULL) == 0);
}

static void changed_agents_stay(void)
{
    pthread_t second, third;
    reserve(1);
    reset();
    make(hold, 1);
    await(&begun, 1);
    CHECK(pthread_create(&second, NULL, second_master, NULL) == 0);
    await(&changed, 1);
    CHECK(pthread_create(&third, NULL, third_master, NULL) == 0);
    CHECK(pthread_join(third, NULL) == 0);
    CHECK_EQUAL(1, ghcomp_load_acquire(&noted));
    ghcomp_store_release(&may_end, 1);
    CHECK(pthread_join(second, NULL) == 0);
    ghcomp_task_wait(ghcomp_self());
}

/* An agent is in no worksharing construct of the team, though a program that breaks the rules may say so in a task. */
static void cancel_no_loop(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    CHECK(ghcomp_agent(self));
    for (int kind = GHCOMP_CANCEL_LOOP; kind <= GHCOMP_CANCEL_SECTIONS; kind *= 2) {
        CHECK(!ghcomp_cancellation_point(self, kind));
        ghcomp_cancel(self, kind);
        CHECK(!ghcomp_cancellation_point(self, kind));
    }
    ghcomp_add_acqrel(&ran, 1);
}

static void agent_beside_a_loop(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    if (self->tid == 0)
        make(cancel_no_loop, 0);
    await(&ran, 1);
    CHECK(!ghcomp_cancellation_point(self, GHCOMP_CANCEL_LOOP));
    CHECK_EQUAL(0, ghcomp_load_relaxed(&self->team->cancelled));
}

static void agents_cancel_no_loop(void)
{
    reserve(1);
    ghcomp_global.cancel = true;
    for (int round = 0; round < 5; round++) {
        reset();
        ghcomp_team_parallel(agent_beside_a_loop, NULL, 2, 0);
    }
}

static void check_at_exit(void)
{
    CHECK_EQUAL(100, ghcomp_load_acquire(&ran));
}

static void the_end_waits(void)
{
    reserve(2);
    CHECK(atexit(check_at_exit) == 0); /* called after the runtime's */
    for (int i = 0; i < 100; i++)
        make(count, 0);
}

static void *make_and_end(void *nothing_at_all)
{
    for (int i = 0; i < 100; i++)
        make(count, 0);
    return nothing_at_all;
}

static void threads_end(void)
{
    reserve(2);
    for (int round = 1; round <= 10; round++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, make_and_end, NULL) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
        CHECK_EQUAL(100 * round, ghcomp_load_acquire(&ran));
    }
}

#ifndef __SANITIZE_THREAD__
/* One agent, which the first task holds: one that freed a task meanwhile could leave the child a locked heap, since
   AddressSanitizer's does not survive a fork() as the C library's does. */
static void children_by_fork(void)
{
    reserve(1);
    for (int round = 0; round < 5; round++) {
        reset();
        make(hold, 1);
        await(&begun, 1);
        for (int i = 0; i < 10; i++)
            make(count, 0);
        pid_t child = fork();
        if (child == 0) {
            ghcomp_task_wait(ghcomp_self()); /* they are lost */
            reset();
            make(hold, 1);
            await(&begun, 1);
            ghcomp_store_release(&gate, 1);
            ghcomp_task_wait(ghcomp_self());
            CHECK_EQUAL(1, ghcomp_load_acquire(&ran));
            ghcomp_team_parallel(nothing, NULL, 3, 0);
            _exit(0);
        }
        ghcomp_store_release(&gate, 1);
        ghcomp_task_wait(ghcomp_self());
        CHECK_EQUAL(11, ghcomp_load_acquire(&ran));
        CHECK_EQUAL(0, status_of(child));
    }
}
#endif

/* Each task has three children, every second one for the members alone. */
static void branch(void *data)
{
    long depth = *(long *)data;
    ghcomp_add_acqrel(&ran, 1);
    for (int i = 0; depth > 0 && i < 3; i++)
        make_of(i == 1 ? GHCOMP_THREADSET_TEAM : GHCOMP_THREADSET_POOL, branch, depth - 1);
    if (depth % 2)
        ghcomp_task_wait(ghcomp_self());
}

static void member_of_storm(void *data)
{
    struct ghcomp_member *self = ghcomp_self();
    make(branch, 3);
    if (self->tid % 2 == 0)
        ghcomp_task_wait(self);
    ghcomp_barrier_wait(self);
    if (self->tid == 0)
        make(branch, *(long *)data);
}

static void *storm(void *rounds)
{
    for (long round = 0; round < (long)rounds; round++) {
        struct ghcomp_member *self = ghcomp_self();
        long depth = round % 4;
        ghcomp_taskgroup_start(self);
        for (int i = 0; i < 20; i++)
            make(branch, i % 3);
        ghcomp_taskgroup_end(self);
        ghcomp_team_parallel(member_of_storm, &depth, 1 + (uint32_t)round % 3, 0);
    }
    return NULL;
}

static long expected_of(long rounds)
{
    static const long sizes[] = {1, 4, 13, 40};
    long sum = 0;
    for (long round = 0; round < rounds; round++) {
        for (int i = 0; i < 20; i++)
            sum += sizes[i % 3];
        sum += (1 + round % 3) * sizes[3] + sizes[round % 4];
    }
    return sum;
}

static void masters_at_once(void)
{
    enum { MASTERS = 3 };
    long rounds = unit_rounds(60);
    pthread_t threads[MASTERS];
    reserve(2);
    ghcomp_global.num_cpus = 4;
    for (int i = 0; i < MASTERS; i++)
        CHECK(pthread_create(&threads[i], NULL, storm, (void *)rounds) == 0);
    for (int i = 0; i < MASTERS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK_EQUAL(MASTERS * expected_of(rounds), ghcomp_load_acquire(&ran));
}

/* As in a Haskell process: regions and agents are in the account. */
static void shared_masters_at_once(void)
{
    ghcomp_settings.share = GHCOMP_SHARE_ALL;
    ghcomp_pool_host();
    masters_at_once();
    CHECK_EQUAL(0, ghcomp_cpu_account_counts().threads);
    reserve(0);
    reset();
    ghcomp_settings.reserved.agents = 0;
    storm((void *)10L);
    CHECK_EQUAL(expected_of(10), ghcomp_load_acquire(&ran));
}

/* Regions and Haskell have all CPUs, and the thread comes to no scheduling point. */
static void wait_for_guest(int tasks)
{
    for (int i = 0; i < tasks; i++)
        make(count, 0);
    await(&ran, tasks);
}

static void *wait_for_own_guest(void *unused)
{
    make(count, 0);
    while (ghcomp_load_acquire(&ran) < 3)
        ghcomp_os_yield();
    return unused;
}

static void guests_in_teams_of_one(void)
{
    struct ghcomp_account account = {0};
    pthread_t others[2];
    ghcomp_settings.share = GHCOMP_SHARE_ALL;
    ghcomp_pool_host();
    ghcomp_cpu_account_enter(&account, 2, true);
    wait_for_guest(5);
    CHECK_EQUAL(5, ghcomp_load_relaxed(&on_agents));
    CHECK_EQUAL(2, ghcomp_cpu_account_counts().threads); /* it does not count the guest */
    reset();
    make(hold, 1); /* the one agent is busy when the others make theirs */
    await(&begun, 1);
    for (int i = 0; i < 2; i++)
        pthread_create(&others[i], NULL, wait_for_own_guest, NULL);
    while (!ghcomp_left_any())
        ghcomp_os_yield();
    ghcomp_store_release(&gate, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(others[i], NULL);
    CHECK_EQUAL(2, ghcomp_load_relaxed(&on_agents));
    ghcomp_cpu_account_leave(&account);
}

static void prepare(void)
{
    ghcomp_env_init();
    ghcomp_global.num_cpus = 2;
    ghcomp_global.initial.max_active_levels = 3;
}

static const struct unit_case cases[] = {
    UNIT_CASE(beside_the_initial_task), UNIT_CASE(none_on_one_cpu),    UNIT_CASE(none_beside_a_full_team),
    UNIT_CASE(within_the_thread_limit), UNIT_CASE(regions_do_not_wait), UNIT_CASE(idle_teams_give_workers),
    UNIT_CASE(the_end_waits),           UNIT_CASE(threads_end),        UNIT_CASE(left_tasks_find_an_agent),
    UNIT_CASE(agents_cancel_no_loop),   UNIT_CASE(changed_agents_stay), UNIT_CASE(an_ended_kind_has_no_kin),
#ifndef __SANITIZE_THREAD__
    UNIT_CASE(children_by_fork),
#endif
    UNIT_CASE(masters_at_once),         UNIT_CASE(shared_masters_at_once), UNIT_CASE(guests_in_teams_of_one),
};

int main(int argc, char **argv)
{
    return RUN_CASES(argc, argv, prepare, cases);
}
