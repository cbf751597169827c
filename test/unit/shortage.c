/* Threads that cannot be made: a region that may fail leaves everything as it was, one that may be smaller leaves some
   threads to others. Each case is a process of its own. Runs under ASan+UBSan and TSan. What ends the process is in
   test/fault/threads.sh. */
#include "process.h"
#include "../status.h"

#include <errno.h>
#include <pthread.h>

#include "core/affinity/affinity.h"
#include "core/cpu/cpu_account.h"
#include "core/state/icv.h"
#include "core/state/settings.h"
#include "core/state/stats.h"
#include "core/task/task.h"
#include "core/team/lend.h"
#include "core/team/pool.h"
#include "core/team/team.h"
#include "host/os.h"

/* How many threads can still be made, and how often one was refused that was waited for. */
static _Atomic int left = 1000, refused;

static bool may_be_made(void)
{
    bool may = ghcomp_sub_relaxed(&left, 1) > 0;
    if (!may)
        ghcomp_add_relaxed(&left, 1);
    return may;
}

int __wrap_ghcomp_os_spawn(pthread_t *handle, void *(*entry)(void *), void *argument, size_t stack);
int __real_ghcomp_os_spawn(pthread_t *handle, void *(*entry)(void *), void *argument, size_t stack);
int __wrap_ghcomp_os_spawn(pthread_t *handle, void *(*entry)(void *), void *argument, size_t stack)
{
    if (may_be_made())
        return __real_ghcomp_os_spawn(handle, entry, argument, stack);
    ghcomp_add_relaxed(&refused, 1);
    return EAGAIN;
}

int __wrap_ghcomp_os_spawn_at_once(pthread_t *handle, void *(*entry)(void *), void *argument, size_t stack);
int __real_ghcomp_os_spawn_at_once(pthread_t *handle, void *(*entry)(void *), void *argument, size_t stack);
int __wrap_ghcomp_os_spawn_at_once(pthread_t *handle, void *(*entry)(void *), void *argument, size_t stack)
{
    return may_be_made() ? __real_ghcomp_os_spawn_at_once(handle, entry, argument, stack) : EAGAIN;
}

static bool none_available; /* what ghcomp_os_threads_within_limits answers: no, or what is so */
bool __wrap_ghcomp_os_threads_within_limits(uint32_t count);
bool __real_ghcomp_os_threads_within_limits(uint32_t count);
bool __wrap_ghcomp_os_threads_within_limits(uint32_t count)
{
    return !none_available && __real_ghcomp_os_threads_within_limits(count);
}

static _Atomic uint32_t ran;

static void body(void *data)
{
    (void)data;
    ghcomp_add_relaxed(&ran, 1u);
}

/* The size of a region that asks for `size` threads; 0: it did not begin. */
static uint32_t region(uint32_t size, uint32_t flags)
{
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_store_relaxed(&ran, 0u);
    struct ghcomp_team *team = ghcomp_team_prepare(size, flags);
    CHECK((team == NULL) == (ghcomp_self() == self));
    if (team == NULL) {
        CHECK_EQUAL(EAGAIN, self->thread->shortage.error);
        return 0;
    }
    uint32_t got = team->size;
    ghcomp_team_release(team, body, NULL);
    ghcomp_team_run_member(body, NULL);
    ghcomp_team_join();
    CHECK(ghcomp_self() == self);
    CHECK_EQUAL(got, ghcomp_load_relaxed(&ran));
    return got;
}

static void nothing_is_counted(void)
{
    struct ghcomp_cpu_account_counts counts = ghcomp_cpu_account_counts();
    CHECK_EQUAL(0, counts.threads);
    CHECK_EQUAL(0, counts.masters);
    CHECK_EQUAL(0, counts.recent);
    CHECK_EQUAL(1, ghcomp_load_relaxed(&ghcomp_self()->thread->group.threads));
}

static void fails_and_leaves_all_as_it_was(void)
{
    uint64_t before[GHCOMP_COUNTERS], after[GHCOMP_COUNTERS];
    CHECK_EQUAL(4, region(4, GHCOMP_TEAM_MAY_FAIL));
    long threads = status_number("Threads");
    uint32_t created = ghcomp_pool_created();
    ghcomp_stats_sum(before);
    for (int can = 0; can < 6; can++) {
        left = can;
        CHECK_EQUAL(0, region(10, GHCOMP_TEAM_MAY_FAIL));
        CHECK_EQUAL(4 + can, ghcomp_self()->thread->shortage.possible);
        CHECK_EQUAL(created += (uint32_t)can, ghcomp_pool_created());
        while (status_number("Threads") > threads) /* joined, but the kernel may still count them */
            ghcomp_os_nap(1000000);
        nothing_is_counted();
    }
    ghcomp_stats_sum(after);
    CHECK_EQUAL(before[GHCOMP_COUNT_REGIONS], after[GHCOMP_COUNT_REGIONS]);
    CHECK(refused >= 6);
    left = 0;
    CHECK_EQUAL(4, region(4, 0));
    left = 6;
    CHECK_EQUAL(10, region(10, GHCOMP_TEAM_MAY_FAIL));
    nothing_is_counted();
}

/* With a limit on the contention group's threads, which counts those of a region. */
static void fails_in_a_limited_group(void)
{
    ghcomp_icv_own(ghcomp_self()->task)->thread_limit = 8;
    for (int i = 0; i < 20; i++) {
        left = 2;
        CHECK_EQUAL(0, region(6, GHCOMP_TEAM_MAY_FAIL));
        nothing_is_counted();
    }
    left = 100;
    CHECK_EQUAL(8, region(20, GHCOMP_TEAM_MAY_FAIL));
}

/* No free agent can come for it, and its maker need not come to a scheduling point: it runs at once. */
static void pool_tasks_run_at_once(void)
{
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_global.num_cpus = 2;
    ghcomp_store_relaxed(&left, 0);
    for (uint32_t i = 1; i <= 3; i++) {
        struct ghcomp_task *task = ghcomp_task_new(self, body, 0, 1, 0);
        ghcomp_task_threadset(task, GHCOMP_THREADSET_POOL);
        ghcomp_task_submit(self, task);
        CHECK_EQUAL(i, ghcomp_load_relaxed(&ran));
    }
    ghcomp_store_relaxed(&left, 1000);
}

/* The workers that the failed region would have kept serve another master. */
static void *master(void *data)
{
    (void)data;
    CHECK_EQUAL(5, region(5, GHCOMP_TEAM_MAY_FAIL));
    return NULL;
}

static void failed_teams_are_lent(void)
{
    pthread_t thread;
    CHECK_EQUAL(5, region(5, 0));
    left = 0;
    CHECK_EQUAL(0, region(9, GHCOMP_TEAM_MAY_FAIL));
    CHECK(pthread_create(&thread, NULL, master, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_EQUAL(4, ghcomp_pool_created());
    CHECK_EQUAL(5, region(5, 0));
}

static void inside(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    if (self->tid == 0) {
        CHECK_EQUAL(0, region(8, GHCOMP_TEAM_MAY_FAIL));
        CHECK_EQUAL(1, ghcomp_self()->team->level);
    }
}

static void fails_inside_a_region(void)
{
    CHECK_EQUAL(2, region(2, 0));
    for (int i = 0; i < 5; i++) {
        left = 3;
        ghcomp_team_parallel(inside, NULL, 2, 0);
        nothing_is_counted();
    }
    left = 100;
    CHECK_EQUAL(7, region(7, 0));
}

/* One line says so, and half of what can be had is left. */
static void spares_half(void)
{
    CHECK_EQUAL(3, region(3, 0));
    left = 8;
    CHECK_EQUAL(3 + 4, region(20, GHCOMP_TEAM_MAY_BE_SMALLER));
    /* Not again at each region, but the pool's workers are taken. */
    int tried = refused;
    left = 8;
    CHECK_EQUAL(3 + 4, region(20, GHCOMP_TEAM_MAY_BE_SMALLER));
    CHECK_EQUAL(tried, refused);
    CHECK_EQUAL(2, region(2, GHCOMP_TEAM_MAY_BE_SMALLER));
    CHECK_EQUAL(3 + 4, region(20, GHCOMP_TEAM_MAY_BE_SMALLER));
    CHECK_EQUAL(8, left);
    nothing_is_counted();
}

static void limits_are_asked_first(void)
{
    none_available = true;
    CHECK_EQUAL(0, region(4, GHCOMP_TEAM_MAY_FAIL));
    CHECK_EQUAL(1, ghcomp_self()->thread->shortage.possible);
    CHECK_EQUAL(0, ghcomp_pool_created());
    CHECK_EQUAL(1, region(4, GHCOMP_TEAM_MAY_BE_SMALLER));
    CHECK_EQUAL(4, region(4, 0)); /* C's regions try */
    CHECK_EQUAL(4, region(4, GHCOMP_TEAM_MAY_FAIL));
}

static void inner_of_two(void *data)
{
    (void)data;
    ghcomp_team_parallel(body, NULL, 2, 0);
}

static void inner_of_four(void *data)
{
    (void)data;
    ghcomp_team_parallel(body, NULL, 4, 0);
}

/* Idle inner teams keep workers, which a region gets when no more can be made. C's region does not wait for others
   before. */
static void inner_teams_give_their_workers(void)
{
    for (int i = 0; i < 20; i++) {
        ghcomp_team_parallel(inner_of_two, NULL, 2, 0);
        CHECK_EQUAL(3, ghcomp_pool_created());
        left = 0;
        int waited = refused;
        CHECK_EQUAL(4, region(4, i % 2 ? GHCOMP_TEAM_MAY_FAIL : 0));
        CHECK(i % 2 || waited == refused);
        CHECK_EQUAL(0, region(5, GHCOMP_TEAM_MAY_FAIL));
        CHECK_EQUAL(4, ghcomp_self()->thread->shortage.possible);
        nothing_is_counted();
    }
}

/* So do those of a region of one thread. */
static void inner_teams_of_one_give_their_workers(void)
{
    for (int i = 0; i < 20; i++) {
        ghcomp_team_parallel(inner_of_four, NULL, 1, 0);
        CHECK_EQUAL(3, ghcomp_pool_created());
        left = 0;
        int waited = refused;
        CHECK_EQUAL(4, region(4, i % 2 ? GHCOMP_TEAM_MAY_BE_SMALLER : 0));
        CHECK(i % 2 || waited == refused);
        nothing_is_counted();
    }
}

static void prepare(void)
{
    ghcomp_env_init();
    ghcomp_settings.share = GHCOMP_SHARE_ALL;
    ghcomp_global.num_cpus = 64;
    ghcomp_global.initial.max_active_levels = 3;
    ghcomp_pool_host();
    CHECK(ghcomp_load_relaxed(&ghcomp_cpu_account_shared));
}

static const struct unit_case cases[] = {
    UNIT_CASE(fails_and_leaves_all_as_it_was),
    UNIT_CASE(fails_in_a_limited_group),
    UNIT_CASE(pool_tasks_run_at_once),
    UNIT_CASE(failed_teams_are_lent),
    UNIT_CASE(fails_inside_a_region),
    UNIT_CASE(spares_half),
    UNIT_CASE(limits_are_asked_first),
    UNIT_CASE(inner_teams_give_their_workers),
    UNIT_CASE(inner_teams_of_one_give_their_workers),
};

int main(int argc, char **argv)
{
    return RUN_CASES(argc, argv, prepare, cases);
}
