/* Masters of a process of C are counted when they wait (core/cpu/masters.c): each once in a span of time, and forgotten
   after two. Where their threads are too many, and one of them comes back late from a yield, all sleep at once where
   they wait for the end of a region or for the next one, for a time that doubles when it happens again; not in
   barriers, not in teams larger than the machine, nor where the user has said how to wait. The clock and what a yield
   costs are made up. */
#include "unit.h"

#include <string.h>

#include "core/state/icv.h"
#include "core/state/types.h"

enum { CPUS = 2, THREADS = 3, US = 1000, MS = 1000 * US };

static uint64_t now_ns = 1000 * (uint64_t)MS, yield_ns;

static uint64_t fake_now(void)
{
    return now_ns += US / 10;
}

static uint64_t fake_ticks(void)
{
    return now_ns / US * GHCOMP_TICKS_PER_US;
}

static void fake_yield(void)
{
    now_ns += yield_ns;
}

/* The sources themselves, with these fakes. */
#define ghcomp_os_now fake_now
#define ghcomp_cpu_ticks fake_ticks
#define ghcomp_os_yield fake_yield
#include "core/cpu/masters.c"
#include "core/cpu/wait.c"

static struct ghcomp_thread threads[THREADS]; /* two masters and a worker */
static struct ghcomp_team teams[THREADS];

static void on(int thread)
{
    ghcomp_self_member = &threads[thread].self;
}

static void begin_test(void)
{
    memset(threads, 0, sizeof threads);
    memset(teams, 0, sizeof teams);
    for (int i = 0; i < THREADS; i++) {
        teams[i].size = 2;
        threads[i].number = i == 2;
        threads[i].self.thread = &threads[i];
        threads[i].self.team = &teams[i];
        threads[i].wait.looked = NEW_WAITS;
    }
    ghcomp_global.num_cpus = CPUS;
    ghcomp_global.wait_policy = GHCOMP_POLICY_UNSET;
    ghcomp_wait_init();
    ghcomp_wait_fork_child(); /* forgets everything */
    ghcomp_store_relaxed(&ghcomp_cpu_load.awake, 1u);
    yield_ns = US;
    on(0);
}

/* A wait that misses so often: whether it parks. */
static bool parks(enum ghcomp_wait_kind kind, int misses)
{
    struct ghcomp_spin spin = ghcomp_spin_start(kind);
    spin.left = 0; /* it has paused */
    while (misses-- > 0)
        if (!ghcomp_spin_again(&spin))
            return true;
    return false;
}

static void each_counts_once_in_a_span(void)
{
    begin_test();
    now_ns = 500 * (uint64_t)SPAN_NS;
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(1, ghcomp_masters_count(&threads[0], now_ns));
        now_ns++;
    }
    CHECK_EQUAL(2, ghcomp_masters_count(&threads[1], now_ns));
    CHECK_EQUAL(2, ghcomp_masters_count(&threads[0], now_ns));
    now_ns += SPAN_NS; /* the last span still counts */
    CHECK_EQUAL(2, ghcomp_masters_count(&threads[0], now_ns));
    CHECK_EQUAL(2, ghcomp_masters_count(&threads[0], now_ns - SPAN_NS)); /* looked at the clock before */
    CHECK_EQUAL(500 + 1, threads[0].wait.counted_in);
    now_ns += SPAN_NS;
    CHECK_EQUAL(1, ghcomp_masters_count(&threads[0], now_ns));
    CHECK_EQUAL(2, ghcomp_masters_count(&threads[1], now_ns));
    now_ns += 2 * (uint64_t)SPAN_NS; /* a whole one without masters */
    CHECK_EQUAL(1, ghcomp_masters_count(&threads[1], now_ns));
}

/* One master and its worker fit on two CPUs, two masters with theirs do not, whether the workers are awake or not. */
static void two_masters_are_too_many(void)
{
    begin_test();
    ghcomp_store_relaxed(&ghcomp_cpu_load.awake, 0u);
    CHECK(!parks(GHCOMP_WAIT_TEAM, 1));
    CHECK(!ghcomp_cpu_load_oversubscribed());
    CHECK(!too_many(GHCOMP_WAIT_TEAM, &threads[0]));
    on(1);
    CHECK(!parks(GHCOMP_WAIT_TEAM, 1));
    CHECK_EQUAL(2, ghcomp_load_relaxed(&ghcomp_cpu_load.beside));
    CHECK(too_many(GHCOMP_WAIT_TEAM, &threads[1]));
    CHECK(!too_many(GHCOMP_WAIT_MAIL, &threads[1]));
    ghcomp_store_relaxed(&ghcomp_cpu_load.awake, 1u);
    CHECK(too_many(GHCOMP_WAIT_MAIL, &threads[1]));
    on(2); /* workers are counted where they are awake */
    CHECK(!parks(GHCOMP_WAIT_MAIL, 1));
    CHECK_EQUAL(2, ghcomp_load_relaxed(&ghcomp_cpu_load.beside));
}

/* Two masters, and that thread comes back late in that wait; its next wait tells all of it. */
static void comes_late(int thread, enum ghcomp_wait_kind kind)
{
    on(1);
    CHECK(!parks(GHCOMP_WAIT_TEAM, 1));
    on(0);
    CHECK(!parks(GHCOMP_WAIT_TEAM, 1));
    on(thread);
    yield_ns = 2 * LATE_NS * (uint64_t)CPUS;
    CHECK(!parks(kind, 1));
    yield_ns = US;
    parks(kind, 1);
}

/* How long a thread sleeps at once, in whole hundreds of milliseconds. */
static int sleeps_for(void)
{
    int hundreds = 0;
    for (; ghcomp_masters_sleep(now_ns); hundreds++)
        now_ns += 100 * (uint64_t)MS;
    return hundreds;
}

static void all_sleep_after_one_was_late(void)
{
    for (int late_one = 0; late_one < THREADS; late_one += 2) {
        begin_test();
        comes_late(late_one, late_one == 0 ? GHCOMP_WAIT_TEAM : GHCOMP_WAIT_MAIL);
        on(1);
        CHECK(parks(GHCOMP_WAIT_TEAM, 1));
        CHECK(parks(GHCOMP_WAIT_MAIL, 1));
        CHECK(!parks(GHCOMP_WAIT_BARRIER, 1));
        CHECK(!parks(GHCOMP_WAIT_LOCK, 1));
        teams[1].size = CPUS + 1;
        CHECK(!parks(GHCOMP_WAIT_TEAM, 1));
        teams[1].size = 2;
        ghcomp_store_relaxed(&teams[1].tasked, true);
        CHECK(!parks(GHCOMP_WAIT_TEAM, 1));
    }
}

static void it_lasts_longer_when_it_comes_again(void)
{
    begin_test();
    for (int hundreds = 2; hundreds <= 16; hundreds *= 2) {
        threads[0].wait.late_yields = 0;
        comes_late(0, GHCOMP_WAIT_TEAM);
        CHECK_EQUAL(hundreds, sleeps_for());
    }
    threads[0].wait.late_yields = 0;
    comes_late(0, GHCOMP_WAIT_TEAM);
    CHECK_EQUAL(16, sleeps_for());
    now_ns += 1700 * (uint64_t)MS;
    threads[0].wait.late_yields = 0;
    comes_late(0, GHCOMP_WAIT_TEAM);
    CHECK_EQUAL(2, sleeps_for());
}

/* The thread that was late parks in its next waits, but what it tells holds no longer for that. */
static void it_tells_once(void)
{
    begin_test();
    comes_late(0, GHCOMP_WAIT_TEAM);
    sleeps_for();
    ghcomp_store_relaxed(&ghcomp_cpu_load.awake, (uint32_t)CPUS);
    on(1);
    CHECK(!parks(GHCOMP_WAIT_TEAM, 1));
    on(0);
    CHECK(parks(GHCOMP_WAIT_TEAM, 1));
    CHECK(!ghcomp_masters_sleep(now_ns));
}

static void one_master_alone_is_left_out(void)
{
    begin_test();
    ghcomp_store_relaxed(&ghcomp_cpu_load.awake, (uint32_t)CPUS);
    yield_ns = 2 * LATE_NS * (uint64_t)CPUS;
    CHECK(!parks(GHCOMP_WAIT_TEAM, 1));
    CHECK(parks(GHCOMP_WAIT_TEAM, 1));
    CHECK(!ghcomp_masters_sleep(now_ns));
}

static void the_users_policy_holds(void)
{
    begin_test();
    comes_late(0, GHCOMP_WAIT_TEAM);
    CHECK(ghcomp_masters_sleep(now_ns));
    ghcomp_global.wait_policy = GHCOMP_POLICY_ACTIVE;
    ghcomp_wait_init();
    on(1);
    CHECK(!parks(GHCOMP_WAIT_TEAM, 1));
    CHECK(!parks(GHCOMP_WAIT_MAIL, 1));
}

int main(void)
{
    ghcomp_env_init();
    each_counts_once_in_a_span();
    two_masters_are_too_many();
    all_sleep_after_one_was_late();
    it_lasts_longer_when_it_comes_again();
    it_tells_once();
    one_master_alone_is_left_out();
    the_users_policy_holds();
    ghcomp_self_member = NULL;
    return 0;
}
