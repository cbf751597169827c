/* How a thread waits beside other processes that compute (core/cpu/neighbours.c, core/cpu/wait.c): they are noticed by
   a slow yield, nobody yields while they are assumed, and they are forgotten. The clock, the CPUs and what a yield
   costs are made up. */
#include "unit.h"

#include <string.h>

#include "core/cpu/cpu_account.h"
#include "core/state/icv.h"
#include "core/state/types.h"
#include "core/team/pool.h"

enum { CPUS = 2, US = 1000, MS = 1000 * 1000, IDLE_UNIT = 10 * MS };

static uint64_t now_ns = 1000 * (uint64_t)MS, cpu_ns, idle_ns;
static uint64_t yield_ns; /* what a yield costs: the slice of the thread that runs instead */
static uint32_t yields, naps;
static int cpu;
static bool in_crowd;
static uint32_t counted;
static double cpus_got = CPUS; /* that the process has of the machine */
static double cpus_idle;       /* that nobody has */
static bool idle_known = true;

/* A look at the clock comes after 32 pauses, about a microsecond. */
static uint64_t fake_now(void)
{
    now_ns += US;
    return now_ns;
}

static uint64_t fake_cpu_time(void)
{
    return cpu_ns;
}

/* In hundredths of a second, as the kernel tells it. */
static bool fake_idle_time(uint64_t *ns)
{
    *ns = idle_ns / IDLE_UNIT * IDLE_UNIT;
    return idle_known;
}

static void pass(uint64_t ns)
{
    now_ns += ns;
    cpu_ns += (uint64_t)((double)ns * cpus_got);
    idle_ns += (uint64_t)((double)ns * cpus_idle);
}

static void fake_yield(void)
{
    yields++;
    pass(yield_ns);
}

static void fake_nap(uint32_t ns)
{
    naps++;
    pass(ns);
}

static int fake_cpu(void)
{
    return cpu;
}

static uint32_t moves_made;
static bool has_other_cpu;
static bool cpu_idle;
static int home[2]; /* of the threads that share a CPU at first */

static bool fake_leave_cpu(void)
{
    moves_made += has_other_cpu;
    if (has_other_cpu)
        home[1] = 0;
    return has_other_cpu;
}

static bool fake_cpu_idle(void)
{
    return cpu_idle;
}

static bool fake_in_crowd(void)
{
    counted++;
    return in_crowd;
}

static uint32_t capabilities_busy, haskell_looks;

static uint32_t fake_haskell(void)
{
    haskell_looks++;
    return capabilities_busy;
}

/* The sources themselves, with these fakes. */
#define ghcomp_cpu_account_haskell fake_haskell
#define ghcomp_os_now fake_now
#define ghcomp_os_cpu_time fake_cpu_time
#define ghcomp_os_idle_time fake_idle_time
#define ghcomp_os_yield fake_yield
#define ghcomp_os_nap fake_nap
#define ghcomp_os_cpu fake_cpu
#define ghcomp_os_in_crowd fake_in_crowd
#define ghcomp_os_leave_cpu fake_leave_cpu
#define ghcomp_os_cpu_idle fake_cpu_idle
#include "core/cpu/neighbours.c"
#include "core/cpu/wait.c"
#include "two_threads.h"

static void on(int thread)
{
    ghcomp_self_member = &threads[thread].self;
    cpu = thread;
}

static void begin_test(void)
{
    begin_with_two_threads(CPUS);
    moves_made = 0;
    has_other_cpu = false;
    cpu_idle = true;
    ghcomp_global.num_cpus = CPUS;
    ghcomp_global.wait_policy = GHCOMP_WAIT_UNSET;
    ghcomp_global.spincount_set = false;
    ghcomp_wait_init();
    ghcomp_store_relaxed(&ghcomp_wait.awake, 1u);
    ghcomp_store_relaxed(&ghcomp_wait.beside, 1u);
    ghcomp_store_relaxed(&ghcomp_wait.cpu_shared, false);
    pass(1000 * (uint64_t)MS);
    yield_ns = US / 2;
    cpus_got = CPUS;
    cpus_idle = 0;
    idle_known = true;
    on(0);
}

/* A wait whose condition does not come: how long it polls before it says that the thread should sleep. */
static uint64_t wait_in_vain(enum ghcomp_wait_kind kind)
{
    yields = naps = 0;
    struct ghcomp_spin spin = ghcomp_spin_start(kind);
    uint64_t began = now_ns;
    while (ghcomp_spin_again(&spin) && naps == 0)
        ;
    return now_ns - began;
}

static bool about(uint64_t ns, uint64_t wanted)
{
    return ns >= wanted && ns < wanted + wanted / 4 + 10 * US;
}

static void alone_a_thread_yields_and_spins_for_long(void)
{
    begin_test();
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), 2 * MS));
    CHECK(yields > 100);
    CHECK_EQUAL(GHCOMP_NEIGHBOURS_NONE, ghcomp_neighbours_at(&threads[0], now_ns));
}

static void meet(void)
{
    begin_test();
    yield_ns = 3 * MS;
    wait_in_vain(GHCOMP_WAIT_TEAM);
    CHECK_EQUAL(1, yields); /* the first one took a slice */
}

static void a_slow_yield_is_the_last_one(void)
{
    meet();
    CHECK_EQUAL(GHCOMP_NEIGHBOURS_HERE, ghcomp_neighbours_at(&threads[0], now_ns));
    CHECK_EQUAL(GHCOMP_NEIGHBOURS_OTHER, ghcomp_neighbours_at(&threads[1], now_ns));
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), HERE_NS));
    CHECK_EQUAL(0, yields);
    CHECK(about(wait_in_vain(GHCOMP_WAIT_POST), HERE_NS + NAP_NS)); /* never sleeps on a word */
    CHECK_EQUAL(0, yields);
    on(1); /* its CPU may be free, while the other thread is off its own for a slice */
    CHECK(about(wait_in_vain(GHCOMP_WAIT_MAIL), OTHER_NS));
    CHECK(about(wait_in_vain(GHCOMP_WAIT_LOCK), HERE_NS));
    CHECK_EQUAL(0, yields);
}

/* What is waited for may come in the slice that the yield took. Two masters' worth of threads, so that each wait yields
   at its first miss, and never looks again; with tasks, since it would park in its next waits else (late_yields.c). */
static void a_slow_yield_may_be_the_last_of_its_wait(void)
{
    begin_test();
    ghcomp_store_relaxed(&team.tasked, true);
    cpus_got = 1;
    yield_ns = 5 * MS;
    ghcomp_store_relaxed(&ghcomp_wait.awake, (uint32_t)CPUS);
    for (int i = 0; i < 16; i++) {
        struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_TEAM);
        CHECK(ghcomp_spin_again(&spin) || i > 10);
    }
    CHECK_EQUAL(GHCOMP_NEIGHBOURS_HERE, ghcomp_neighbours_at(&threads[0], now_ns));
}

static void a_gap_while_spinning_is_noticed(void)
{
    begin_test();
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_TEAM);
    for (int i = 0; i < 3 * GHCOMP_PAUSES_BETWEEN_CLOCKS; i++)
        CHECK(ghcomp_spin_again(&spin));
    pass(2 * MS); /* preempted */
    while (ghcomp_spin_again(&spin))
        ;
    CHECK_EQUAL(GHCOMP_NEIGHBOURS_HERE, ghcomp_neighbours_at(&threads[0], now_ns));
}

/* A waiter that slept, or napped for up to a millisecond, was away because it wanted to be. */
static void own_sleeps_are_no_evidence(void)
{
    begin_test();
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_TEAM);
    for (int i = 0; i < 3; i++) {
        while (ghcomp_spin_again(&spin))
            ;
        pass(5 * MS); /* it was woken for something else */
    }
    spin = ghcomp_spin_start(GHCOMP_WAIT_POST);
    for (naps = 0; naps < NAPS_TO_LONGEST + 3;)
        CHECK(ghcomp_spin_again(&spin));
    CHECK_EQUAL(GHCOMP_NEIGHBOURS_NONE, ghcomp_neighbours_at(&threads[0], now_ns));
    CHECK_EQUAL(0, threads[0].wait.slow_yields);
}

/* fork() while another thread was judging the process's share: the child can still judge its own. */
static void children_judge_anew(void)
{
    begin_test();
    ghcomp_store_relaxed(&ghcomp_wait.cpu_shared, true);
    ghcomp_store_relaxed(&share.busy, true);
    ghcomp_wait_fork_child();
    CHECK(!ghcomp_load_relaxed(&ghcomp_wait.cpu_shared));
    for (int i = 0; i < 7; i++) {
        cpus_got = 1;
        ghcomp_neighbours_away(&threads[0], now_ns, true);
        pass(10 * MS);
    }
    CHECK_EQUAL(GHCOMP_NEIGHBOURS_HERE, ghcomp_neighbours_at(&threads[0], now_ns));
}

static void they_are_forgotten(void)
{
    meet();
    pass(MET_NS);
    yield_ns = US / 2;
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), 2 * MS));
    CHECK(yields > 100);
}

/* Those that a thread meets again soon after it has forgotten them stay. */
static void they_are_assumed_for_longer(void)
{
    begin_test();
    uint64_t wanted = MET_NS;
    for (int i = 0; i < 6; i++) {
        ghcomp_neighbours_away(&threads[0], now_ns, false);
        pass(wanted - MS);
        CHECK_EQUAL(GHCOMP_NEIGHBOURS_HERE, ghcomp_neighbours_at(&threads[0], now_ns));
        pass(2 * MS);
        CHECK_EQUAL(GHCOMP_NEIGHBOURS_NONE, ghcomp_neighbours_at(&threads[0], now_ns));
        wanted = 2 * wanted < MET_MOST_NS ? 2 * wanted : MET_MOST_NS;
    }
    pass(2 * (uint64_t)MET_MOST_NS);
    ghcomp_neighbours_away(&threads[0], now_ns, false); /* after a long time without them */
    pass(MET_NS + MS);
    CHECK_EQUAL(GHCOMP_NEIGHBOURS_NONE, ghcomp_neighbours_at(&threads[0], now_ns));
}

/* In a team larger than the machine, too, what is waited for may come in the slice that a yield took. */
static void a_large_team_looks_after_each_yield(void)
{
    begin_test();
    team.size = 2 * CPUS;
    ghcomp_store_relaxed(&team.tasked, true);
    cpus_got = 1;
    ghcomp_store_relaxed(&ghcomp_wait.awake, 2u * CPUS);
    for (int i = 0; i < 16; i++) {
        struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_TEAM);
        CHECK(ghcomp_spin_again(&spin) || i > 10);
        yield_ns = i == 0 ? US / 2 : 5 * MS;
        CHECK(ghcomp_spin_again(&spin) || i > 10);
        yield_ns = US / 2;
    }
    CHECK_EQUAL(GHCOMP_NEIGHBOURS_HERE, ghcomp_neighbours_at(&threads[0], now_ns));
}

/* Beside a few neighbours the thread that has met none keeps its CPU; in a crowd it does not. */
static void in_a_crowd_everybody_sleeps_soon(void)
{
    in_crowd = true;
    counted = 0;
    meet();
    CHECK_EQUAL(1, counted);
    on(1);
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), HERE_NS));
    CHECK(about(wait_in_vain(GHCOMP_WAIT_MAIL), HERE_NS));
    ghcomp_neighbours_away(&threads[0], now_ns, false); /* so soon it is not counted again */
    CHECK_EQUAL(1, counted);
    in_crowd = false;
    pass(CROWD_NS);
    ghcomp_neighbours_away(&threads[0], now_ns, false);
    CHECK_EQUAL(2, counted);
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), OTHER_NS));
}

static void a_large_team_sleeps_at_once(void)
{
    meet();
    team.size = CPUS + 1;
    CHECK(wait_in_vain(GHCOMP_WAIT_TEAM) <= 2 * US);
    CHECK(wait_in_vain(GHCOMP_WAIT_MAIL) <= 2 * US); /* between its regions, too */
    team.size = CPUS;
    ghcomp_store_relaxed(&ghcomp_wait.awake, (uint32_t)CPUS);
    CHECK(wait_in_vain(GHCOMP_WAIT_TEAM) <= 2 * US);
}

/* With more threads than CPUs a slow yield may have run a thread of ours. */
static void too_many_threads_of_ours_are_no_neighbours(void)
{
    for (cpus_got = 1; cpus_got <= CPUS; cpus_got++) {
        double got = cpus_got;
        begin_test();
        cpus_got = got;
        ghcomp_store_relaxed(&ghcomp_wait.awake, (uint32_t)CPUS);
        yield_ns = 3 * MS;
        for (int i = 0; i < 24; i++)
            wait_in_vain(GHCOMP_WAIT_TEAM);
        CHECK_EQUAL(got < CPUS ? GHCOMP_NEIGHBOURS_HERE : GHCOMP_NEIGHBOURS_NONE,
                    ghcomp_neighbours_at(&threads[0], now_ns));
    }
}

/* A process whose threads sleep has less than all CPUs, and nobody else has more. */
static void what_is_idle_no_neighbour_has(void)
{
    for (int i = 0; i < 4; i++) {
        begin_test();
        cpus_got = 0.5;
        cpus_idle = i < 2 ? CPUS - cpus_got : CPUS / 2.0;
        idle_known = i != 1; /* unknown: the share alone says it */
        ghcomp_store_relaxed(&ghcomp_wait.awake, (uint32_t)CPUS);
        yield_ns = 3 * MS;
        for (int j = 0; j < 40; j++)
            wait_in_vain(GHCOMP_WAIT_TEAM);
        CHECK_EQUAL(i == 0 ? GHCOMP_NEIGHBOURS_NONE : GHCOMP_NEIGHBOURS_HERE,
                    ghcomp_neighbours_at(&threads[0], now_ns));
    }
}

static void a_thread_without_a_past_sleeps_soon(void)
{
    meet();
    on(1);
    threads[1].wait.looked = 0;
    for (int i = 0; i < NEW_WAITS - 1; i++)
        CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), NEW_NS));
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), OTHER_NS));
    begin_test(); /* without neighbours it waits as long as any */
    pass(MET_MOST_NS);
    threads[0].wait.looked = 0;
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), 2 * MS));
}

static void a_free_worker_sleeps_soon(void)
{
    meet();
    on(1);
    struct ghcomp_thread *worker = &threads[1];
    ghcomp_pool_give(&worker, 1);
    CHECK(about(wait_in_vain(GHCOMP_WAIT_MAIL), NEW_NS));
    int error;
    CHECK_EQUAL(1, ghcomp_pool_take(&worker, 1, &error));
    CHECK(worker == &threads[1]);
    CHECK(about(wait_in_vain(GHCOMP_WAIT_MAIL), OTHER_NS));
}

static void a_policy_of_the_user_holds(void)
{
    meet();
    for (int i = 0; i < 3; i++) {
        begin_test();
        ghcomp_global.wait_policy = i == 0 ? GHCOMP_WAIT_ACTIVE : i == 1 ? GHCOMP_WAIT_PASSIVE : GHCOMP_WAIT_UNSET;
        ghcomp_global.spincount_set = i == 2;
        ghcomp_neighbours_away(&threads[0], now_ns, false);
        CHECK_EQUAL(GHCOMP_NEIGHBOURS_NONE, ghcomp_neighbours_at(&threads[0], now_ns));
    }
}

/* As many waits of both threads, on one CPU at first, as it takes to find out. */
static void share_a_cpu(void)
{
    home[0] = home[1] = 1;
    for (int i = 0; i < 2 * SHARED_LOOKS + 2; i++) {
        on(i % 2);
        cpu = home[i % 2];
        wait_in_vain(GHCOMP_WAIT_LOCK); /* a short one */
    }
}

static void a_worker_leaves_a_shared_cpu(void)
{
    begin_test();
    has_other_cpu = true;
    share_a_cpu();
    CHECK_EQUAL(1, moves_made);
    CHECK(!ghcomp_load_relaxed(&ghcomp_wait.cpu_shared));
    CHECK_EQUAL(STAYS_NS, threads[1].wait.stays);
    /* It is brought back. */
    pass(STAYS_NS);
    share_a_cpu();
    CHECK_EQUAL(2, moves_made);
    CHECK_EQUAL(2 * STAYS_NS, threads[1].wait.stays);
    /* At once again: it stays. */
    threads[1].wait.moved = now_ns;
    threads[1].wait.stays = STAYS_MOST_NS;
    share_a_cpu();
    CHECK_EQUAL(2, moves_made);
    CHECK(ghcomp_load_relaxed(&ghcomp_wait.cpu_shared));
}

static void no_worker_leaves_for_a_busy_cpu(void)
{
    begin_test();
    has_other_cpu = true;
    meet();
    share_a_cpu();
    begin_test();
    has_other_cpu = true;
    ghcomp_store_relaxed(&ghcomp_wait.awake, (uint32_t)CPUS);
    share_a_cpu();
    begin_test();
    has_other_cpu = true;
    cpu_idle = false;
    share_a_cpu();
    CHECK_EQUAL(0, moves_made);
}

/* Its own threads are more than the machine's CPUs: that they want one says nothing of others. */
static void a_large_teams_worker_leaves_for_any_cpu(void)
{
    begin_test();
    has_other_cpu = true;
    cpu_idle = false;
    threads[1].wait.large_team = true;
    share_a_cpu();
    CHECK_EQUAL(1, moves_made);
}

static void threads_on_one_cpu_yield_at_once(void)
{
    begin_test();
    share_a_cpu();
    CHECK(ghcomp_load_relaxed(&ghcomp_wait.cpu_shared));
    CHECK_EQUAL(0, ghcomp_spin_start(GHCOMP_WAIT_TEAM).left);
    pass(SHARED_NS);
    for (int i = 0; i < 4; i++) {
        on(i % 2); /* each on its own */
        wait_in_vain(GHCOMP_WAIT_TEAM);
    }
    CHECK(!ghcomp_load_relaxed(&ghcomp_wait.cpu_shared));
}

/* --- beside Haskell ----------------------------------------------------------------------------------------------- */

static void begin_beside_haskell(void)
{
    begin_test();
    ghcomp_store_relaxed(&ghcomp_cpu_account_shared, true);
    capabilities_busy = 1;
}

static void end_beside_haskell(struct ghcomp_account *account)
{
    capabilities_busy = 0;
    ghcomp_cpu_account_leave(account);
    ghcomp_store_relaxed(&ghcomp_cpu_account_shared, false);
    ghcomp_store_relaxed(&ghcomp_wait.cpu_contended, false);
}

/* The worker that the master has woken may wait for the very CPU that the master is on: it counts before it runs. */
static void threads_of_regions_count_before_they_run(void)
{
    struct ghcomp_account account;
    begin_beside_haskell();
    ghcomp_store_relaxed(&ghcomp_wait.awake, 0u);
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), 2 * MS));
    ghcomp_cpu_account_enter(&account, CPUS, true);
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), CONTENDED_NS));
    end_beside_haskell(&account);
}

static void threads_on_one_cpu_hand_over_at_once(void)
{
    struct ghcomp_account account;
    begin_beside_haskell();
    ghcomp_cpu_account_enter(&account, CPUS, true);
    share_a_cpu();
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), US));
    CHECK_EQUAL(0, yields);
    on(0); /* of three threads, one is on another CPU */
    threads[0].wait.shares_until = 0;
    cpu = 2;
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), CONTENDED_NS));
    on(1);
    pass(SHARED_NS);
    cpu = 3;
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), CONTENDED_NS));
    end_beside_haskell(&account);
}

/* Two threads that wait for each other at each iteration, on one CPU, beside Haskell on the other one. */
static void threads_on_one_cpu_yield_to_each_other(void)
{
    const enum ghcomp_wait_kind waits[] = {GHCOMP_WAIT_TURN, GHCOMP_WAIT_SINK, GHCOMP_WAIT_POST, GHCOMP_WAIT_BARRIER};
    struct ghcomp_account account;
    for (unsigned i = 0; i < sizeof waits / sizeof *waits; i++) {
        begin_beside_haskell();
        ghcomp_cpu_account_enter(&account, CPUS, true);
        share_a_cpu();
        uint32_t *slow_yields = &ghcomp_self_member->thread->wait.slow_yields;
        CHECK(about(wait_in_vain(waits[i]), 200 * US + (naps > 0 ? NAP_NS : 0)));
        CHECK(yields > 50);
        *slow_yields = 0;
        yield_ns = 3 * MS; /* Haskell has come to this CPU */
        wait_in_vain(waits[i]);
        CHECK_EQUAL(1, yields);
        CHECK_EQUAL(SLOW_YIELD_WAITS, *slow_yields);
        threads[1].wait.shares_until = now_ns + SHARED_NS;
        CHECK(wait_in_vain(waits[i]) < NAP_NS + 10 * US);
        CHECK_EQUAL(0, yields);
        pass(HASKELL_NS);
        capabilities_busy = CPUS; /* and is on all */
        *slow_yields = 0;
        threads[1].wait.shares_until = now_ns + SHARED_NS;
        wait_in_vain(waits[i]);
        CHECK_EQUAL(0, yields);
        end_beside_haskell(&account);
    }
}

/* However many threads wait, they look at Haskell's lines once in HASKELL_NS. */
static void waiters_seldom_look_at_haskell(void)
{
    struct ghcomp_account account;
    begin_beside_haskell();
    ghcomp_cpu_account_enter(&account, CPUS, true);
    uint64_t began = now_ns;
    haskell_looks = 0;
    for (int i = 0; i < 100; i++) {
        on(i % 2);
        wait_in_vain(GHCOMP_WAIT_TEAM);
    }
    CHECK(haskell_looks > 0 && haskell_looks <= (now_ns - began) / HASKELL_NS + 1);
    end_beside_haskell(&account);
}

/* Haskell on all CPUs: a thread that yielded would wait for its slices. With a CPU left, the threads yield to each
   other there. */
static void a_large_team_yields_only_where_haskell_leaves_a_cpu(void)
{
    struct ghcomp_account account;
    begin_beside_haskell();
    team.size = CPUS + 1;
    ghcomp_store_relaxed(&ghcomp_wait.awake, (uint32_t)CPUS);
    ghcomp_cpu_account_enter(&account, CPUS + 1, true);
    wait_in_vain(GHCOMP_WAIT_TEAM);
    CHECK(yields > 0);
    pass(HASKELL_NS);
    capabilities_busy = CPUS;
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), US));
    CHECK_EQUAL(0, yields);
    pass(HASKELL_NS);
    capabilities_busy = CPUS - 1;
    wait_in_vain(GHCOMP_WAIT_TEAM);
    CHECK(yields > 0);
    end_beside_haskell(&account);
}

int main(void)
{
    ghcomp_env_init();
    alone_a_thread_yields_and_spins_for_long();
    a_slow_yield_is_the_last_one();
    a_slow_yield_may_be_the_last_of_its_wait();
    a_gap_while_spinning_is_noticed();
    own_sleeps_are_no_evidence();
    children_judge_anew();
    they_are_forgotten();
    they_are_assumed_for_longer();
    in_a_crowd_everybody_sleeps_soon();
    a_large_team_looks_after_each_yield();
    a_large_team_sleeps_at_once();
    too_many_threads_of_ours_are_no_neighbours();
    what_is_idle_no_neighbour_has();
    a_thread_without_a_past_sleeps_soon();
    a_free_worker_sleeps_soon();
    a_policy_of_the_user_holds();
    threads_on_one_cpu_yield_at_once();
    threads_of_regions_count_before_they_run();
    threads_on_one_cpu_hand_over_at_once();
    threads_on_one_cpu_yield_to_each_other();
    waiters_seldom_look_at_haskell();
    a_large_team_yields_only_where_haskell_leaves_a_cpu();
    a_worker_leaves_a_shared_cpu();
    no_worker_leaves_for_a_busy_cpu();
    a_large_teams_worker_leaves_for_any_cpu();
    ghcomp_self_member = NULL;
    return 0;
}
