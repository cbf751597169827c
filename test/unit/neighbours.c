/* How a thread waits beside other processes that compute (core/cpu/neighbours.c, core/cpu/wait.c): they are noticed by
   a slow yield, no thread yields while they are assumed, and they are forgotten. The clock, the CPUs and what a yield
   costs are made up (neighbours.h). shared_cpu.c has threads that share a CPU, and Haskell's threads. */
#include "core/team/kind.h"
#include "neighbours.h"

static void alone_a_thread_yields_and_spins_for_long(void)
{
    begin_test();
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), 2 * MS));
    CHECK(yields_made > 100);
    CHECK_EQUAL(GHCOMP_NEIGHBOURS_NONE, ghcomp_neighbours_at(&threads[0], now_ns));
}

static void a_slow_yield_is_the_last_one(void)
{
    meet();
    CHECK_EQUAL(GHCOMP_NEIGHBOURS_HERE, ghcomp_neighbours_at(&threads[0], now_ns));
    CHECK_EQUAL(GHCOMP_NEIGHBOURS_OTHER, ghcomp_neighbours_at(&threads[1], now_ns));
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), GHCOMP_PLAN_HERE_NS));
    CHECK_EQUAL(0, yields_made);
    CHECK(about(wait_in_vain(GHCOMP_WAIT_POST), GHCOMP_PLAN_HERE_NS + GHCOMP_PLAN_NAP_NS)); /* never sleeps on a word */
    CHECK_EQUAL(0, yields_made);
    on(1); /* its CPU may be free, while the other thread is off its own for a slice */
    CHECK(about(wait_in_vain(GHCOMP_WAIT_MAIL), GHCOMP_PLAN_OTHER_NS));
    CHECK(about(wait_in_vain(GHCOMP_WAIT_LOCK), GHCOMP_PLAN_HERE_NS));
    CHECK_EQUAL(0, yields_made);
}

/* What is waited for may come in the slice that the yield took. Two masters' worth of threads, so that each wait yields
   at its first miss, and never looks again; with tasks, since it would park in its next waits else (late_yields.c). */
static void a_slow_yield_may_be_the_last_of_its_wait(void)
{
    begin_test();
    ghcomp_store_relaxed(&team.tasked, true);
    cpus_got = 1;
    yield_ns = 5 * MS;
    ghcomp_store_relaxed(&ghcomp_cpu_load.awake, (uint32_t)CPUS);
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
    for (naps_taken = 0; naps_taken < GHCOMP_PLAN_NAPS_TO_LONGEST + 3;)
        CHECK(ghcomp_spin_again(&spin));
    CHECK_EQUAL(GHCOMP_NEIGHBOURS_NONE, ghcomp_neighbours_at(&threads[0], now_ns));
    CHECK_EQUAL(0, threads[0].wait.slow_yields);
}

/* fork() while another thread was judging the process's share: the child can still judge its own. */
static void children_judge_anew(void)
{
    begin_test();
    ghcomp_store_relaxed(&ghcomp_cpu_load.shared, true);
    ghcomp_store_relaxed(&share.busy, true);
    ghcomp_wait_fork_child();
    CHECK(!ghcomp_load_relaxed(&ghcomp_cpu_load.shared));
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
    CHECK(yields_made > 100);
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
    ghcomp_store_relaxed(&ghcomp_cpu_load.awake, 2u * CPUS);
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
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), GHCOMP_PLAN_HERE_NS));
    CHECK(about(wait_in_vain(GHCOMP_WAIT_MAIL), GHCOMP_PLAN_HERE_NS));
    ghcomp_neighbours_away(&threads[0], now_ns, false); /* so soon it is not counted again */
    CHECK_EQUAL(1, counted);
    in_crowd = false;
    pass(CROWD_NS);
    ghcomp_neighbours_away(&threads[0], now_ns, false);
    CHECK_EQUAL(2, counted);
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), GHCOMP_PLAN_OTHER_NS));
}

static void a_large_team_sleeps_at_once(void)
{
    meet();
    team.size = CPUS + 1;
    CHECK(wait_in_vain(GHCOMP_WAIT_TEAM) <= 2 * US);
    CHECK(wait_in_vain(GHCOMP_WAIT_MAIL) <= 2 * US); /* between its regions, too */
    team.size = CPUS;
    ghcomp_store_relaxed(&ghcomp_cpu_load.awake, (uint32_t)CPUS);
    CHECK(wait_in_vain(GHCOMP_WAIT_TEAM) <= 2 * US);
}

/* With more threads than CPUs a slow yield may have run a thread of ours. */
static void too_many_threads_of_ours_are_no_neighbours(void)
{
    for (cpus_got = 1; cpus_got <= CPUS; cpus_got++) {
        double got = cpus_got;
        begin_test();
        cpus_got = got;
        ghcomp_store_relaxed(&ghcomp_cpu_load.awake, (uint32_t)CPUS);
        yield_ns = 3 * MS;
        for (int i = 0; i < 24; i++)
            wait_in_vain(GHCOMP_WAIT_TEAM);
        CHECK_EQUAL(got < CPUS ? GHCOMP_NEIGHBOURS_HERE : GHCOMP_NEIGHBOURS_NONE,
                    ghcomp_neighbours_at(&threads[0], now_ns));
    }
}

/* A process whose threads sleep has less than all CPUs, and no other process has more. */
static void what_is_idle_no_neighbour_has(void)
{
    for (int i = 0; i < 4; i++) {
        begin_test();
        cpus_got = 0.5;
        cpus_idle = i < 2 ? CPUS - cpus_got : CPUS / 2.0;
        idle_known = i != 1; /* unknown: the share alone says it */
        ghcomp_store_relaxed(&ghcomp_cpu_load.awake, (uint32_t)CPUS);
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
        CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), GHCOMP_PLAN_NEW_NS));
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), GHCOMP_PLAN_OTHER_NS));
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
    struct ghcomp_thread *left;
    worker->kin.made_for = ghcomp_kind_look(ghcomp_self()->thread, true, &left);
    ghcomp_pool_give(&worker, 1);
    CHECK(about(wait_in_vain(GHCOMP_WAIT_MAIL), GHCOMP_PLAN_NEW_NS));
    int error;
    CHECK_EQUAL(1, ghcomp_pool_take(&worker, 1, &error));
    CHECK(worker == &threads[1]);
    CHECK(about(wait_in_vain(GHCOMP_WAIT_MAIL), GHCOMP_PLAN_OTHER_NS));
}

static void a_policy_of_the_user_holds(void)
{
    static const enum ghcomp_wait_policy policies[] = {GHCOMP_POLICY_ACTIVE, GHCOMP_POLICY_PASSIVE,
                                                       GHCOMP_POLICY_UNSET};
    meet();
    for (int i = 0; i < 3; i++) {
        begin_test();
        ghcomp_global.wait_policy = policies[i];
        ghcomp_global.spincount_set = i == 2;
        ghcomp_neighbours_away(&threads[0], now_ns, false);
        CHECK_EQUAL(GHCOMP_NEIGHBOURS_NONE, ghcomp_neighbours_at(&threads[0], now_ns));
    }
}

/* OMP_WAIT_POLICY=active: without an end where each thread has a CPU, and no longer than others where it has not. */
static void active_waits_are_throttled(void)
{
    begin_test();
    ghcomp_global.wait_policy = GHCOMP_POLICY_ACTIVE;
    ghcomp_wait_init();
    CHECK_EQUAL(UINT64_MAX, ghcomp_wait_limits(GHCOMP_WAIT_TEAM).free);
    ghcomp_store_relaxed(&ghcomp_cpu_load.awake, (uint32_t)CPUS);
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), 200 * US));
    ghcomp_global.wait_policy = GHCOMP_POLICY_UNSET;
    ghcomp_wait_init();
}

/* On a free CPU, and on one of too few, by OMP_WAIT_POLICY=passive. */
static void passive_waits_sleep_at_once(void)
{
    begin_test();
    ghcomp_global.wait_policy = GHCOMP_POLICY_PASSIVE;
    ghcomp_wait_init();
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), 0));
    ghcomp_store_relaxed(&ghcomp_cpu_load.awake, (uint32_t)CPUS);
    CHECK(about(wait_in_vain(GHCOMP_WAIT_LOCK), 0));
    CHECK_EQUAL(0, yields_made);
    ghcomp_global.wait_policy = GHCOMP_POLICY_UNSET;
    ghcomp_wait_init();
}

int main(void)
{
    ghcomp_env_init();
    passive_waits_sleep_at_once();
    active_waits_are_throttled();
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
    ghcomp_self_member = NULL;
    return 0;
}
