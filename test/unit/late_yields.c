/* A thread that came back late from a yield in a barrier (core/cpu/wait.h) parks at once in its next barriers, and
   yields again when these are through. Not so when the barrier was not over yet, when the yield was short (for as many
   threads), in a region with tasks, in a wait of another kind, or where the user has said how to wait. The clock and
   what a yield costs are made up. */
#include "unit.h"

#include <string.h>

#include "core/state/icv.h"
#include "core/state/types.h"

enum { CPUS = 2, US = 1000 };

static uint64_t now_ns = 1000 * 1000 * (uint64_t)US, yield_ns;
static uint32_t yields_made, looks;

static uint64_t fake_now(void)
{
    looks++;
    return now_ns += US / 10;
}

static uint64_t fake_ticks(void)
{
    return now_ns / US * GHCOMP_TICKS_PER_US;
}

static void fake_yield(void)
{
    yields_made++;
    now_ns += yield_ns;
}

/* The source itself, with these fakes. */
#define ghcomp_os_now fake_now
#define ghcomp_cpu_ticks fake_ticks
#define ghcomp_os_yield fake_yield
#include "core/cpu/wait.c"

static struct ghcomp_thread thread;
static struct ghcomp_team team;

static void begin_test(void)
{
    memset(&thread, 0, sizeof thread);
    memset(&team, 0, sizeof team);
    team.size = CPUS + 1;
    thread.self.thread = &thread;
    thread.self.team = &team;
    thread.wait.looked = NEW_WAITS;
    ghcomp_global.num_cpus = CPUS;
    ghcomp_global.wait_policy = GHCOMP_POLICY_UNSET;
    ghcomp_wait_init();
    ghcomp_wait_fork_child(); /* its thread is the only master */
    ghcomp_store_relaxed(&ghcomp_cpu_load.awake, (uint32_t)CPUS);
    ghcomp_self_member = &thread.self;
    yield_ns = 2 * LATE_NS;
    yields_made = looks = 0;
}

/* A wait that misses so often: whether it parks. */
static bool parks(enum ghcomp_wait_kind kind, int misses)
{
    struct ghcomp_spin spin = ghcomp_spin_start(kind);
    while (misses-- > 0)
        if (!ghcomp_spin_again(&spin))
            return true;
    return false;
}

static void the_next_waits_park(void)
{
    begin_test();
    CHECK(!parks(GHCOMP_WAIT_TEAM, 1));
    CHECK_EQUAL(1, yields_made);
    for (int i = 0; i < LATE_WAITS; i++)
        CHECK(parks(GHCOMP_WAIT_TEAM, 1));
    CHECK_EQUAL(1, yields_made);
    yield_ns = US;
    CHECK(!parks(GHCOMP_WAIT_TEAM, 1));
    CHECK(!parks(GHCOMP_WAIT_TEAM, 1));
    CHECK_EQUAL(3, yields_made);
}

/* The first look at the clock is before the first yield, later ones are not: each yield is measured. */
static void a_later_yield_counts(void)
{
    begin_test();
    yield_ns = US;
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_TEAM);
    for (int i = 0; i < GHCOMP_PLAN_YIELDS + 2; i++)
        CHECK(ghcomp_spin_again(&spin));
    yield_ns = 2 * LATE_NS;
    CHECK(ghcomp_spin_again(&spin));
    CHECK(parks(GHCOMP_WAIT_TEAM, 1));
}

/* One look for the wait and one for the yield that was not short. */
static void short_yields_show_nothing(void)
{
    begin_test();
    yield_ns = US;
    CHECK(!parks(GHCOMP_WAIT_TEAM, 1 + GHCOMP_PLAN_YIELDS));
    CHECK_EQUAL(1, looks);
    CHECK_EQUAL(1 + GHCOMP_PLAN_YIELDS, yields_made);
    yield_ns = LATE_NS;
    CHECK(!parks(GHCOMP_WAIT_TEAM, 1));
    CHECK_EQUAL(3, looks);
}

static void a_wait_that_was_not_over_is_not_late(void)
{
    begin_test();
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_TEAM);
    CHECK(ghcomp_spin_again(&spin));
    yield_ns = US;
    CHECK(ghcomp_spin_again(&spin));
    CHECK(!parks(GHCOMP_WAIT_TEAM, 1));
}

static void short_yields_are_not_late(void)
{
    begin_test();
    yield_ns = LATE_NS;
    for (int i = 0; i < 8; i++)
        CHECK(!parks(GHCOMP_WAIT_TEAM, 1));
    CHECK_EQUAL(8, yields_made);
}

/* Eight threads on each CPU: the yield went round them. */
static void with_many_threads_a_yield_may_take_longer(void)
{
    begin_test();
    ghcomp_store_relaxed(&ghcomp_cpu_load.awake, (uint32_t)(8 * CPUS - 1));
    for (int i = 0; i < 8; i++)
        CHECK(!parks(GHCOMP_WAIT_TEAM, 1));
    yield_ns = 8 * LATE_NS;
    CHECK(!parks(GHCOMP_WAIT_TEAM, 1));
    CHECK(parks(GHCOMP_WAIT_TEAM, 1));
}

static void regions_with_tasks_are_left_out(void)
{
    begin_test();
    ghcomp_store_relaxed(&team.tasked, true);
    CHECK(!parks(GHCOMP_WAIT_TEAM, 1));
    CHECK(!parks(GHCOMP_WAIT_TEAM, 1));
    ghcomp_store_relaxed(&team.tasked, false);
    CHECK(!parks(GHCOMP_WAIT_TEAM, 1)); /* nothing is left of these; this one is late */
    ghcomp_store_relaxed(&team.tasked, true);
    CHECK(!parks(GHCOMP_WAIT_TEAM, 1));
}

static void other_waits_are_left_out(void)
{
    static const enum ghcomp_wait_kind others[] = {GHCOMP_WAIT_MAIL, GHCOMP_WAIT_LOCK};
    for (int i = 0; i < 2; i++) {
        begin_test();
        for (int j = 0; j < 4; j++)
            CHECK(!parks(others[i], 1));
        CHECK(!parks(GHCOMP_WAIT_TEAM, 1)); /* late */
        CHECK(!parks(others[i], 1));
    }
}

static void the_users_policy_holds(void)
{
    begin_test();
    ghcomp_global.wait_policy = GHCOMP_POLICY_ACTIVE;
    ghcomp_wait_init();
    CHECK(!parks(GHCOMP_WAIT_TEAM, 1));
    CHECK(!parks(GHCOMP_WAIT_TEAM, 1));
    CHECK_EQUAL(2, yields_made);
}

int main(void)
{
    ghcomp_env_init();
    the_next_waits_park();
    a_later_yield_counts();
    short_yields_show_nothing();
    a_wait_that_was_not_over_is_not_late();
    short_yields_are_not_late();
    with_many_threads_a_yield_may_take_longer();
    regions_with_tasks_are_left_out();
    other_waits_are_left_out();
    the_users_policy_holds();
    ghcomp_self_member = NULL;
    return 0;
}
