/* Two threads on one CPU that hand over at each iteration, beside Haskell (core/cpu/wait.c, core/cpu/neighbours.c):
   when the worker of the two leaves the CPU, and how a wait for a post ends. The clock, the CPUs and what a yield costs
   are made up. */
#include "unit.h"

#include "core/cpu/cpu_account.h"
#include "core/state/icv.h"
#include "core/state/types.h"

enum { CPUS = 2, US = 1000, MS = 1000 * 1000 };

static uint64_t now_ns = 1000 * (uint64_t)MS, yield_ns;
static uint32_t naps_taken, moves_made, capabilities_busy;
static bool may_leave;

static uint64_t fake_now(void)
{
    now_ns += US;
    return now_ns;
}

static uint64_t fake_ticks(void)
{
    return now_ns / US * GHCOMP_TICKS_PER_US;
}

static void fake_yield(void)
{
    now_ns += yield_ns;
}

static void fake_nap(uint32_t ns)
{
    naps_taken++;
    now_ns += ns;
}

static int fake_cpu(void)
{
    return 0;
}

static bool fake_leave_cpu(void)
{
    moves_made++;
    return may_leave;
}

static uint32_t fake_haskell(void)
{
    return capabilities_busy;
}

/* The sources themselves, with these fakes. */
#define ghcomp_cpu_account_haskell fake_haskell
#define ghcomp_os_now fake_now
#define ghcomp_cpu_ticks fake_ticks
#define ghcomp_os_yield fake_yield
#define ghcomp_os_nap fake_nap
#define ghcomp_os_cpu fake_cpu
#define ghcomp_os_leave_cpu fake_leave_cpu
#include "core/cpu/neighbours.c"
#include "core/cpu/wait.c"
#include "two_threads.h"

static struct ghcomp_account account;

static void begin_test(uint32_t busy)
{
    begin_with_two_threads(CPUS);
    now_ns += 1000 * (uint64_t)MS;
    yield_ns = 3 * US;
    naps_taken = moves_made = 0;
    may_leave = true;
    capabilities_busy = busy;
    ghcomp_global.num_cpus = CPUS;
    ghcomp_wait_init();
    ghcomp_store_relaxed(&ghcomp_cpu_load.awake, 1u);
    ghcomp_store_relaxed(&ghcomp_cpu_account_shared, true);
    ghcomp_cpu_account_enter(&account, CPUS, true);
}

static void end_test(void)
{
    ghcomp_cpu_account_leave(&account);
    ghcomp_store_relaxed(&ghcomp_cpu_account_shared, false);
    ghcomp_store_relaxed(&ghcomp_cpu_load.contended, false);
}

/* One wait of each thread, which ends after so many misses. */
static void hand_over(enum ghcomp_wait_kind kind, int misses)
{
    for (int i = 0; i < 2; i++) {
        ghcomp_self_member = &threads[i].self;
        struct ghcomp_spin spin = ghcomp_spin_start(kind);
        spin.left = 0;
        for (int miss = 0; miss < misses; miss++)
            ghcomp_spin_again(&spin);
    }
}

static const enum ghcomp_wait_kind kinds[] = {GHCOMP_WAIT_TURN, GHCOMP_WAIT_SINK, GHCOMP_WAIT_POST};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The worker leaves as soon as it has waited twice in a short time, and then not for a while, even if the kernel brings
   it back. */
static void a_worker_leaves_where_hand_overs_are_frequent(void)
{
    for (int k = 0; k < KINDS; k++) {
        begin_test(1);
        hand_over(kinds[k], 1);
        CHECK_EQUAL(0, moves_made);
        hand_over(kinds[k], 1);
        CHECK_EQUAL(1, moves_made);
        CHECK(threads[1].wait.moved != 0 && threads[0].wait.moved == 0); /* the program's own thread stays */
        uint64_t moved = threads[1].wait.moved;
        while (now_ns - moved < STAYS_NS - 100 * US)
            hand_over(kinds[k], 1);
        CHECK_EQUAL(1, moves_made);
        while (now_ns - moved < STAYS_NS + 100 * US)
            hand_over(kinds[k], 1);
        CHECK_EQUAL(2, moves_made);
        end_test();
    }
}

/* Iterations that take longer than the switches: Haskell keeps its CPU. */
static void it_stays_where_they_are_not(void)
{
    for (int k = 0; k < KINDS; k++) {
        begin_test(1);
        for (int i = 0; i < 100; i++) {
            hand_over(kinds[k], 1);
            now_ns += FREQUENT_NS;
        }
        CHECK_EQUAL(0, moves_made);
        end_test();
    }
}

static void hand_over_seldom(enum ghcomp_wait_kind kind, int times)
{
    for (int i = 0; i < times; i++) {
        hand_over(kind, 1);
        now_ns += FREQUENT_NS;
    }
}

/* Haskell has nothing to lose then; the threads sleep there instead of yielding. */
static void it_leaves_where_haskell_is_on_all_cpus(void)
{
    for (int k = 0; k < KINDS; k++) {
        begin_test(CPUS);
        hand_over_seldom(kinds[k], EVERYWHERE_WAITS - 1);
        CHECK_EQUAL(0, moves_made); /* it may be a collection, in which all Capabilities look busy */
        hand_over_seldom(kinds[k], 1);
        CHECK_EQUAL(1, moves_made);
        end_test();
    }
}

static void it_stays_when_haskell_was_on_all_cpus_for_a_moment(void)
{
    for (int k = 0; k < KINDS; k++) {
        begin_test(1);
        for (int i = 0; i < 10; i++) {
            capabilities_busy = CPUS;
            hand_over_seldom(kinds[k], EVERYWHERE_WAITS - 1);
            capabilities_busy = 1;
            now_ns += MS; /* what was seen of Haskell is too old */
            hand_over_seldom(kinds[k], 1);
        }
        CHECK_EQUAL(0, moves_made);
        end_test();
    }
}

/* Other waits do not come again and again, and members of a large team would meet others wherever they go. */
static void others_stay(void)
{
    begin_test(1);
    for (int i = 0; i < 100; i++) {
        hand_over(GHCOMP_WAIT_TEAM, 1);
        hand_over(GHCOMP_WAIT_BARRIER, 1);
    }
    CHECK_EQUAL(0, moves_made);
    team.size = CPUS + 1;
    for (int i = 0; i < 100; i++)
        hand_over(GHCOMP_WAIT_TURN, 1);
    CHECK_EQUAL(0, moves_made);
    end_test();
}

/* A thread without another CPU goes on to yield. */
static void it_may_not_leave(void)
{
    begin_test(1);
    may_leave = false;
    for (int i = 0; i < 10; i++)
        hand_over(GHCOMP_WAIT_TURN, 1);
    CHECK_EQUAL(1, moves_made);
    CHECK(now_ns < threads[1].wait.shares_until);
    end_test();
}

static void wait_once(void)
{
    ghcomp_self_member = &threads[1].self;
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_TURN);
    spin.left = 0;
    ghcomp_spin_again(&spin);
}

/* A thread that finds its own mark has its CPU for itself, and yields no more. */
static void a_thread_that_is_left_alone_knows_it(void)
{
    begin_test(1);
    may_leave = false;
    hand_over(GHCOMP_WAIT_TURN, 1);
    hand_over(GHCOMP_WAIT_TURN, 1);
    CHECK(now_ns < threads[0].wait.shares_until && now_ns < threads[1].wait.shares_until);
    now_ns += FREQUENT_NS;
    wait_once();
    CHECK(now_ns < threads[1].wait.shares_until); /* long iterations, whose threads are better off on one CPU */
    wait_once();
    CHECK_EQUAL(0, threads[1].wait.shares_until);
    CHECK(now_ns < threads[0].wait.shares_until);
    end_test();
}

static bool gives_up(enum ghcomp_wait_kind kind)
{
    ghcomp_self_member = &threads[0].self;
    naps_taken = 0;
    struct ghcomp_spin spin = ghcomp_spin_start(kind);
    while (naps_taken == 0)
        if (!ghcomp_spin_again(&spin))
            return true;
    return false;
}

/* A sink has a word to sleep on, beside Haskell or not; what has none naps. */
static void waits_for_a_sink_sleep(void)
{
    begin_test(1);
    CHECK(gives_up(GHCOMP_WAIT_TURN));
    CHECK(gives_up(GHCOMP_WAIT_SINK));
    CHECK(!gives_up(GHCOMP_WAIT_POST));
    end_test();
    begin_test(0);
    CHECK(gives_up(GHCOMP_WAIT_TURN));
    CHECK(gives_up(GHCOMP_WAIT_SINK));
    CHECK(!gives_up(GHCOMP_WAIT_POST));
    end_test();
}

int main(void)
{
    ghcomp_env_init();
    a_worker_leaves_where_hand_overs_are_frequent();
    it_stays_where_they_are_not();
    it_leaves_where_haskell_is_on_all_cpus();
    it_stays_when_haskell_was_on_all_cpus_for_a_moment();
    others_stay();
    it_may_not_leave();
    a_thread_that_is_left_alone_knows_it();
    waits_for_a_sink_sleep();
    ghcomp_self_member = NULL;
    return 0;
}
