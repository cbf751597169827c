/* Admission of masters: exact teams and few workers however many masters there are, a queue that is first come first
   served, regions that wait for each other, also while others come and go, wake-ups while barging is not allowed,
   regions that are never delayed. Each case is a process of its own. Runs under ASan+UBSan and TSan. admission_fork.c
   has fork() while masters wait.
   timing-part: how often a wait ends by its timeout */
#include "admission.h"

#include <string.h>

#include "core/cpu/admission.h"
#include "core/state/stats.h"
#include "core/team/target.h"
#include "core/task/task.h"
#include "core/cpu/wait.h"
#include "host/os.h"

enum { MASTERS = 16, REGIONS = 600 /* each master waits several times */ };

static uint64_t counted(enum ghcomp_counter counter)
{
    uint64_t sums[GHCOMP_COUNTERS];
    ghcomp_stats_sum(sums);
    return sums[counter];
}

/* The head's sleep. One longer than this many nanoseconds ends only by a wake-up. */
static _Atomic uint32_t longest_sleep = UINT32_MAX;
void __wrap_ghcomp_wait_park_for(_Atomic uint32_t *word, uint32_t value, uint32_t nanoseconds);
void __real_ghcomp_wait_park_for(_Atomic uint32_t *word, uint32_t value, uint32_t nanoseconds);
void __wrap_ghcomp_wait_park_for(_Atomic uint32_t *word, uint32_t value, uint32_t nanoseconds)
{
    if (nanoseconds > ghcomp_load_relaxed(&longest_sleep))
        ghcomp_wait_park(word, value);
    else
        __real_ghcomp_wait_park_for(word, value, nanoseconds);
}

static void work(uint64_t nanoseconds)
{
    for (uint64_t end = ghcomp_os_now() + nanoseconds; ghcomp_os_now() < end;)
        ghcomp_cpu_pause();
}

/* --- exact teams, few workers ------------------------------------------------------------------------------------- */

static void *many_regions(void *data)
{
    struct sum sum = {.size = TEAM};
    for (int i = 1, most = unit_rounds(REGIONS); i <= most; i++) {
        ghcomp_team_parallel(add_up, &sum, TEAM, 0);
        for (int j = 0; j < TEAM; j++)
            CHECK_EQUAL(i, sum.plain[j]);
        if ((i + (intptr_t)data) % 16 == 0)
            ghcomp_os_yield();
    }
    return NULL;
}

/* A team is as large as the machine. So only a region that was admitted after a timeout runs beside another one, and
   only then more workers are made than one team has. After TIMEOUTS_MOST (3) timeouts a master may skip the queue,
   which is not counted. */
static void exact_teams_need_few_workers(void)
{
    together(MASTERS, many_regions);
    uint64_t at_once = 1 + counted(GHCOMP_COUNT_ADMISSION_TIMEOUTS);
    if (at_once > 3)
        at_once = MASTERS;
    CHECK(ghcomp_pool_created() <= at_once * (TEAM - 1));
    CHECK_EQUAL(MASTERS * unit_rounds(REGIONS), counted(GHCOMP_COUNT_REGIONS));
    CHECK_EQUAL(MASTERS * unit_rounds(REGIONS) * TEAM, counted(GHCOMP_COUNT_GIVEN));
    CHECK_EQUAL(MASTERS * unit_rounds(REGIONS) * TEAM, counted(GHCOMP_COUNT_WANTED));
    CHECK(counted(GHCOMP_COUNT_LENT) >= (MASTERS - 1) * (TEAM - 1) || ghcomp_pool_created() > TEAM - 1);
}

static void threads_churn(void)
{
    together(MASTERS, masters_who_come_and_go);
    uint64_t at_once = 1 + counted(GHCOMP_COUNT_ADMISSION_TIMEOUTS); /* new threads have no timeouts behind them */
    CHECK(ghcomp_pool_created() <= (at_once < MASTERS ? at_once : MASTERS) * (TEAM - 1));
}

static void no_queue_when_off(void)
{
    ghcomp_settings.admission = GHCOMP_ADMISSION_OFF;
    together(MASTERS, many_regions);
    CHECK_EQUAL(0, counted(GHCOMP_COUNT_REGIONS_QUEUED));
    CHECK_EQUAL(MASTERS * unit_rounds(REGIONS) * TEAM, counted(GHCOMP_COUNT_GIVEN));
}

/* --- first come first served -------------------------------------------------------------------------------------- */

static _Atomic uint32_t waits_over, furthest;

/* For each wait: how many other waits end meanwhile. They are those of the masters that stood before it, at most all of
   them, and of masters whose wait was over but not counted yet. */
static void *wait_often(void *data)
{
    (void)data;
    struct ghcomp_thread *self = ghcomp_self()->thread;
    for (int i = 0; i < 60; i++) {
        uint64_t queued = ghcomp_load_relaxed(&self->counts.of[GHCOMP_COUNT_REGIONS_QUEUED]);
        struct ghcomp_account account;
        uint32_t before = ghcomp_load_relaxed(&waits_over);
        self->admission.skip_until = 0;
        ghcomp_admission_enter(self, &account, CPUS);
        if (ghcomp_load_relaxed(&self->counts.of[GHCOMP_COUNT_REGIONS_QUEUED]) != queued) {
            uint32_t passed = ghcomp_add_relaxed(&waits_over, 1u) - before, most = ghcomp_load_relaxed(&furthest);
            while (passed > most && !ghcomp_cas_relaxed(&furthest, &most, passed))
                ;
        }
        work(100000);
        ghcomp_cpu_account_leave(&account);
        ghcomp_admission_moved(self, true);
    }
    return NULL;
}

static void nobody_starves(void)
{
    together(MOST_MASTERS, wait_often);
    CHECK(ghcomp_load_relaxed(&waits_over) > MOST_MASTERS);
    CHECK(ghcomp_load_relaxed(&furthest) <= 8 * MOST_MASTERS); /* some lose their CPU on the way to the queue */
}

/* --- wake-ups ----------------------------------------------------------------------------------------------------- */

/* Each region ends about when the head behind it stops barging, and its master does not come back at once. */
static void *end_as_barging_stops(void *data)
{
    unsigned seed = (unsigned)(uintptr_t)data + 1;
    struct ghcomp_thread *self = ghcomp_self()->thread;
    for (int i = 0, turns = unit_rounds(600); i < turns; i++) {
        struct ghcomp_account account;
        ghcomp_admission_enter(self, &account, CPUS);
        seed = seed * 1103515245u + 12345u;
        work(200000 + (seed >> 8) % 200000);
        ghcomp_cpu_account_leave(&account);
        ghcomp_admission_moved(self, true);
        work((seed >> 8) % 150000);
    }
    return NULL;
}

static void no_wake_up_is_lost(void)
{
    ghcomp_store_relaxed(&longest_sleep, 3000000u); /* the head's sleeps while barging is not allowed */
    together(3, end_as_barging_stops);
    CHECK(counted(GHCOMP_COUNT_REGIONS_QUEUED) > 0);
}

static _Atomic bool inside;

/* The first master's only region has an inner one, whose end must not wake the head. */
static void *just_one(void *data)
{
    bool first = data == NULL;
    struct ghcomp_thread *self = ghcomp_self()->thread;
    struct ghcomp_account account;
    while (!first && !ghcomp_load_acquire(&inside))
        ghcomp_os_yield();
    ghcomp_admission_enter(self, &account, CPUS);
    if (first) {
        ghcomp_store_release(&inside, true);
        while (counted(GHCOMP_COUNT_REGIONS_QUEUED) == 0)
            ghcomp_os_yield();
        while (counted(GHCOMP_COUNT_PARKS) == 0) /* the other master goes to sleep */
            ghcomp_os_yield();
        struct ghcomp_account inner;
        ghcomp_cpu_account_enter(&inner, 1, false);
        ghcomp_cpu_account_leave(&inner);
        ghcomp_admission_moved(self, false);
        work(300000);
        CHECK_EQUAL(1, counted(GHCOMP_COUNT_PARKS));
    }
    ghcomp_cpu_account_leave(&account);
    ghcomp_admission_moved(self, true);
    return NULL;
}

/* A master that has no other region to run wakes the head at once. */
static void a_single_region_wakes_the_head(void)
{
    ghcomp_store_relaxed(&longest_sleep, 0u);
    together(2, just_one);
    CHECK_EQUAL(1, counted(GHCOMP_COUNT_REGIONS_QUEUED));
}

/* The first thread's only region, a whole one, lasts until the other thread sleeps at the head of the queue. */
static void until_another_sleeps(void *data)
{
    (void)data;
    if (ghcomp_self()->tid != 0)
        return;
    ghcomp_store_release(&inside, true);
    while (counted(GHCOMP_COUNT_REGIONS_QUEUED) == 0)
        ghcomp_os_yield();
    work(1000000); /* it is asleep then, or finds that its region fits before it sleeps */
}

static void *a_whole_region(void *data)
{
    struct sum sum = {.size = TEAM};
    if (data == NULL) {
        ghcomp_team_parallel(until_another_sleeps, NULL, TEAM, 0);
    } else {
        while (!ghcomp_load_acquire(&inside))
            ghcomp_os_yield();
        ghcomp_team_parallel(add_up, &sum, TEAM, 0);
    }
    return NULL;
}

/* The same through team.c, which must tell admission that the region it leaves was an outermost one. No sleep ends by
   itself, so a master that is not woken hangs. */
static void a_team_that_ends_wakes_the_next_master(void)
{
    ghcomp_store_relaxed(&longest_sleep, 0u);
    together(2, a_whole_region);
    CHECK_EQUAL(1, counted(GHCOMP_COUNT_REGIONS_QUEUED));
}

/* --- regions that wait for each other ----------------------------------------------------------------------------- */

enum { ROUNDS = 300 };
static _Atomic int arrived[2];
static _Atomic bool met;

/* Each master waits in its region for the other one's. */
static void meet(void *data)
{
    int me = (int)(intptr_t)data;
    struct ghcomp_member *self = ghcomp_self();
    CHECK_EQUAL(TEAM, self->team->size);
    if (self->tid == 0) {
        int round = ghcomp_add_acqrel(&arrived[me], 1) + 1;
        while (ghcomp_load_acquire(&arrived[!me]) < round)
            ghcomp_os_yield();
    }
    ghcomp_barrier_wait(self);
}

static void *rendezvous(void *data)
{
    for (int i = 0; i < ROUNDS; i++)
        ghcomp_team_parallel(meet, data, TEAM, 0);
    return NULL;
}

static void masters_meet(void)
{
    uint64_t start = ghcomp_os_now();
    together(2, rendezvous);
    CHECK_EQUAL(ROUNDS, arrived[0]);
    CHECK_EQUAL(ROUNDS, arrived[1]);
    /* In each round one of them comes second, and would time out if it were not for the earlier timeouts, which count
       for some time. */
    uint64_t timeouts = counted(GHCOMP_COUNT_ADMISSION_TIMEOUTS);
    CHECK(timeouts >= 1);
    CHECK(!unit_timing() || (timeouts < ROUNDS / 2 || ghcomp_os_now() - start > 1000000000));
}

static void nothing(void *data)
{
    (void)data;
}

/* Until the other master is in, inner regions come and go: each takes CPUs and gives them back. */
static void meet_with_inner_regions(void *data)
{
    int me = (int)(intptr_t)data;
    struct ghcomp_member *self = ghcomp_self();
    if (self->tid == 0)
        ghcomp_add_acqrel(&arrived[me], 1);
    ghcomp_barrier_wait(self);
    int round = ghcomp_load_acquire(&arrived[me]);
    while (ghcomp_load_acquire(&arrived[!me]) < round)
        ghcomp_team_parallel(nothing, NULL, 2, 0);
    ghcomp_barrier_wait(self);
}

static void *meet_often(void *data)
{
    for (int i = 0; i < 20; i++)
        ghcomp_team_parallel(meet_with_inner_regions, data, TEAM, 0);
    return NULL;
}

static void inner_regions_come_and_go(void)
{
    together(2, meet_often);
}

static void meet_quietly(void *data)
{
    int me = (int)(intptr_t)data;
    if (ghcomp_self()->tid != 0)
        return;
    ghcomp_add_acqrel(&arrived[me], 1);
    while (ghcomp_load_acquire(&arrived[!me]) == 0)
        ghcomp_os_yield();
    ghcomp_store_release(&met, true);
}

static void alone(void *data)
{
    (void)data;
    CHECK_EQUAL(1, ghcomp_self()->team->size);
}

/* The others' regions of one thread never wait for admission. */
static void *meet_beside_others(void *data)
{
    if ((intptr_t)data < 2)
        ghcomp_team_parallel(meet_quietly, data, TEAM, 0);
    else
        while (!ghcomp_load_acquire(&met))
            ghcomp_team_parallel(alone, NULL, 1, 0);
    return NULL;
}

static void small_regions_come_and_go(void)
{
    together(6, meet_beside_others);
}

/* --- regions that are never delayed ------------------------------------------------------------------------------- */

static _Atomic bool begun, end;

static void hold_the_machine(void *data)
{
    (void)data;
    ghcomp_store_release(&begun, true);
    while (!ghcomp_load_acquire(&end))
        ghcomp_os_yield();
}

static void *hold(void *data)
{
    ghcomp_team_parallel(hold_the_machine, data, CPUS, 0);
    return NULL;
}

static void in_target(void *data)
{
    struct sum sum = {.size = TEAM};
    ghcomp_team_parallel(add_up, &sum, TEAM, 0);
    *(bool *)data = true;
}

static _Atomic bool task_ran;

static void in_task(void *data)
{
    (void)data;
    bool ran;
    in_target(&ran);
    ghcomp_store_relaxed(&task_ran, ran);
}

static void inner_regions_are_not_delayed(void)
{
    pthread_t holder;
    CHECK(pthread_create(&holder, NULL, hold, NULL) == 0);
    while (!ghcomp_load_acquire(&begun))
        ghcomp_os_yield();
    bool target = false;
    ghcomp_target_run(in_target, &target, 0);
    CHECK(target);
    struct ghcomp_member *self = ghcomp_self();
    struct ghcomp_task *task = ghcomp_task_new(self, in_task, 8, 8, 0);
    ghcomp_task_undefer(task);
    ghcomp_task_submit(self, task);
    CHECK(ghcomp_load_relaxed(&task_ran));
    CHECK_EQUAL(0, counted(GHCOMP_COUNT_REGIONS_QUEUED));
    struct sum sum = {.size = TEAM};
    ghcomp_team_parallel(add_up, &sum, TEAM, 0); /* but this one waits, until its timeout */
    CHECK_EQUAL(1, counted(GHCOMP_COUNT_REGIONS_QUEUED));
    CHECK_EQUAL(1, counted(GHCOMP_COUNT_ADMISSION_TIMEOUTS));
    ghcomp_store_release(&end, true);
    CHECK(pthread_join(holder, NULL) == 0);
    CHECK_EQUAL(0, ghcomp_cpu_account_counts().threads);
}

static const struct unit_case cases[] = {
    UNIT_CASE(exact_teams_need_few_workers),
    UNIT_CASE(threads_churn),
    UNIT_CASE(no_queue_when_off),
    UNIT_CASE(nobody_starves),
    UNIT_CASE(no_wake_up_is_lost),
    UNIT_CASE(a_single_region_wakes_the_head),
    UNIT_CASE(a_team_that_ends_wakes_the_next_master),
    UNIT_CASE(masters_meet),
    UNIT_CASE(inner_regions_come_and_go),
    UNIT_CASE(small_regions_come_and_go),
    UNIT_CASE(inner_regions_are_not_delayed),
};

int main(int argc, char **argv)
{
    return RUN_CASES(argc, argv, prepare, cases);
}
