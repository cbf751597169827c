/* How threads that share a CPU with others of the process, or have Haskell beside them, wait (core/cpu/neighbours.c,
   core/cpu/wait.c): a worker leaves a shared CPU, or they yield to each other there; waits are short where Haskell
   wants the CPU. The clock, the CPUs and what a yield costs are made up (neighbours.h). */
#include "neighbours.h"

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
    CHECK(!ghcomp_load_relaxed(&ghcomp_cpu_load.shared));
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
    CHECK(ghcomp_load_relaxed(&ghcomp_cpu_load.shared));
}

/* Another process has the CPU whenever the worker asks, for a while: what it was refused for is soon forgotten. */
static void a_worker_that_was_refused_asks_again(void)
{
    begin_test();
    has_other_cpu = true;
    machine_demand = GHCOMP_DEMAND_SOME;
    uint64_t began = now_ns;
    while (now_ns - began < 700 * (uint64_t)MS)
        share_a_cpu();
    CHECK_EQUAL(0, moves_made);
    machine_demand = GHCOMP_DEMAND_LOW;
    uint64_t idle_since = now_ns;
    while (moves_made == 0) {
        share_a_cpu();
        CHECK(now_ns - idle_since < 10 * MS);
    }
}

/* The neighbour that was met is gone, or sleeps for a moment. */
static void neighbours_that_were_met_keep_no_worker_from_an_idle_cpu(void)
{
    begin_test();
    has_other_cpu = true;
    meet();
    yield_ns = US / 2;
    has_other_cpu = true;
    share_a_cpu();
    CHECK_EQUAL(1, moves_made);
}

/* It is unknown whether the other CPU is idle: the process has some CPUs of a larger machine, others of which are; or
   the team is larger than the machine. */
static void beside_neighbours_no_worker_moves_blindly(bool large)
{
    meet();
    has_other_cpu = true;
    all_cpus = large;
    threads[1].wait.large_team = large;
    yield_ns = US / 2;
    for (uint64_t until = now_ns + MET_NS / 2; now_ns < until;)
        share_a_cpu();
    CHECK_EQUAL(1, moves_made);
    for (uint64_t until = now_ns + 3 * (uint64_t)BLINDLY_NS; now_ns < until;)
        share_a_cpu();
    CHECK(moves_made > 2);
    all_cpus = true;
}

/* However often the kernel brings the worker back, it is not left there for long. */
static void a_worker_that_is_brought_back_leaves_again(void)
{
    begin_test();
    has_other_cpu = true;
    uint32_t moves_before = 0;
    for (int i = 0; i < 20; i++, moves_before = moves_made) {
        uint64_t back = now_ns;
        while (moves_made == moves_before) {
            share_a_cpu();
            CHECK(now_ns - back < STAYS_MOST_NS + 5 * MS);
        }
    }
}

/* A mask that has no other CPU refuses the move, and that is no move. */
static void a_move_that_fails_is_tried_again(void)
{
    begin_test();
    share_a_cpu();
    CHECK_EQUAL(0, threads[1].wait.moved);
    has_other_cpu = true;
    pass(STAYS_MOST_NS);
    share_a_cpu();
    CHECK_EQUAL(1, moves_made);
}

static void no_worker_leaves_for_a_busy_cpu(void)
{
    begin_test();
    has_other_cpu = true;
    ghcomp_store_relaxed(&ghcomp_cpu_load.awake, (uint32_t)CPUS);
    share_a_cpu();
    begin_test();
    has_other_cpu = true;
    machine_demand = GHCOMP_DEMAND_SOME;
    share_a_cpu();
    CHECK_EQUAL(0, moves_made);
}

/* Waits of both threads in turns, each of which ends after one miss. */
static void switch_on_one_cpu(int waits, uint64_t pause)
{
    home[0] = home[1] = 1;
    for (int i = 0; i < waits; i++) {
        on(i % 2);
        cpu = home[i % 2];
        struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_TEAM);
        spin.left = 0;
        CHECK(ghcomp_spin_again(&spin));
        pass(pause);
    }
}

static void begin_beside_a_neighbour(enum ghcomp_demand wanted)
{
    begin_test();
    has_other_cpu = true;
    machine_demand = wanted;
    yield_ns = US / 2;
    switch_on_one_cpu(8, SWITCHES_NS); /* none is a new thread, and each has waited a while ago */
    CHECK_EQUAL(0, moves_made);
    CHECK(ghcomp_load_relaxed(&ghcomp_cpu_load.shared));
    pass(ASK_MOST_NS);
}

/* A neighbour has one CPU, and both threads are on the other one. The one that stays has it for itself then. */
static void threads_that_only_switch_part_beside_a_neighbour(void)
{
    begin_beside_a_neighbour(GHCOMP_DEMAND_SOME);
    threads[0].clocks.met = now_ns;
    threads[0].wait.neighbours_until = now_ns + MET_NS;
    switch_on_one_cpu(8, 0);
    CHECK_EQUAL(1, moves_made);
    CHECK(!ghcomp_load_relaxed(&ghcomp_cpu_load.shared)); /* else the worker would yield to its neighbour */
    CHECK_EQUAL(GHCOMP_NEIGHBOURS_OTHER, ghcomp_neighbours_at(&threads[0], now_ns));
    on(0);
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), GHCOMP_PLAN_OTHER_NS)); /* its mate's slice */
    pass(STAYS_MOST_NS);
    CHECK_EQUAL(GHCOMP_NEIGHBOURS_NONE, ghcomp_neighbours_at(&threads[0], now_ns));
    meet(); /* a new one, on its CPU */
    CHECK_EQUAL(GHCOMP_NEIGHBOURS_HERE, ghcomp_neighbours_at(&threads[0], now_ns));
}

/* Each CPU has a neighbour: what was met holds on. */
static void threads_that_part_beside_two_neighbours_still_have_one(void)
{
    begin_beside_a_neighbour(GHCOMP_DEMAND_EACH);
    threads[0].clocks.met = now_ns;
    threads[0].wait.neighbours_until = now_ns + MET_NS;
    switch_on_one_cpu(8, 0);
    CHECK_EQUAL(1, moves_made);
    CHECK_EQUAL(GHCOMP_NEIGHBOURS_HERE, ghcomp_neighbours_at(&threads[0], now_ns));
}

static void threads_in_a_crowd_do_not_part(void)
{
    begin_beside_a_neighbour(GHCOMP_DEMAND_CROWD);
    switch_on_one_cpu(100, 0);
    CHECK_EQUAL(0, moves_made);
}

/* A mask that has no other CPU refuses the move: the threads still share one, and hand over by yielding. */
static void threads_that_cannot_part_learn_nothing(void)
{
    begin_beside_a_neighbour(GHCOMP_DEMAND_SOME);
    has_other_cpu = false;
    ghcomp_store_relaxed(&ghcomp_neighbours.parted, 0u);
    switch_on_one_cpu(4, 0);
    CHECK(threads[1].wait.asks_again > now_ns); /* it has tried */
    CHECK(ghcomp_load_relaxed(&ghcomp_cpu_load.shared));
    CHECK_EQUAL(0, ghcomp_load_relaxed(&ghcomp_neighbours.parted));
    CHECK_EQUAL(GHCOMP_NEIGHBOURS_NONE, ghcomp_neighbours_at(&threads[0], now_ns));
}

/* Its own threads are more than the machine's CPUs: that they want one says nothing of others. */
static void a_large_teams_worker_leaves_for_any_cpu(void)
{
    begin_test();
    has_other_cpu = true;
    machine_demand = GHCOMP_DEMAND_SOME;
    threads[1].wait.large_team = true;
    share_a_cpu();
    CHECK_EQUAL(1, moves_made);
}

static void threads_on_one_cpu_yield_at_once(void)
{
    begin_test();
    share_a_cpu();
    CHECK(ghcomp_load_relaxed(&ghcomp_cpu_load.shared));
    CHECK_EQUAL(0, ghcomp_spin_start(GHCOMP_WAIT_TEAM).left);
    pass(SHARED_NS);
    for (int i = 0; i < 4; i++) {
        on(i % 2); /* each on its own */
        wait_in_vain(GHCOMP_WAIT_TEAM);
    }
    CHECK(!ghcomp_load_relaxed(&ghcomp_cpu_load.shared));
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
    ghcomp_store_relaxed(&ghcomp_cpu_load.contended, false);
}

/* The worker that the master has woken may wait for the very CPU that the master is on: it counts before it runs. */
static void threads_of_regions_count_before_they_run(void)
{
    struct ghcomp_account account;
    begin_beside_haskell();
    ghcomp_store_relaxed(&ghcomp_cpu_load.awake, 0u);
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), 2 * MS));
    ghcomp_cpu_account_enter(&account, CPUS, true);
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), GHCOMP_PLAN_CONTENDED_NS));
    end_beside_haskell(&account);
}

static void threads_on_one_cpu_hand_over_at_once(void)
{
    struct ghcomp_account account;
    begin_beside_haskell();
    ghcomp_cpu_account_enter(&account, CPUS, true);
    share_a_cpu();
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), US));
    CHECK_EQUAL(0, yields_made);
    on(0); /* of three threads, one is on another CPU */
    threads[0].wait.shares_until = 0;
    cpu = 2;
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), GHCOMP_PLAN_CONTENDED_NS));
    on(1);
    pass(SHARED_NS);
    cpu = 3;
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), GHCOMP_PLAN_CONTENDED_NS));
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
        CHECK(about(wait_in_vain(waits[i]), 200 * US + (naps_taken > 0 ? GHCOMP_PLAN_NAP_NS : 0)));
        CHECK(yields_made > 50);
        *slow_yields = 0;
        yield_ns = 3 * MS; /* Haskell has come to this CPU */
        wait_in_vain(waits[i]);
        CHECK_EQUAL(1, yields_made);
        CHECK_EQUAL(SLOW_YIELD_WAITS, *slow_yields);
        threads[1].wait.shares_until = now_ns + SHARED_NS;
        CHECK(wait_in_vain(waits[i]) < GHCOMP_PLAN_NAP_NS + 10 * US);
        CHECK_EQUAL(0, yields_made);
        pass(HASKELL_NS);
        capabilities_busy = CPUS; /* and is on all */
        *slow_yields = 0;
        threads[1].wait.shares_until = now_ns + SHARED_NS;
        wait_in_vain(waits[i]);
        CHECK_EQUAL(0, yields_made);
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
    ghcomp_store_relaxed(&ghcomp_cpu_load.awake, (uint32_t)CPUS);
    ghcomp_cpu_account_enter(&account, CPUS + 1, true);
    wait_in_vain(GHCOMP_WAIT_TEAM);
    CHECK(yields_made > 0);
    pass(HASKELL_NS);
    capabilities_busy = CPUS;
    CHECK(about(wait_in_vain(GHCOMP_WAIT_TEAM), US));
    CHECK_EQUAL(0, yields_made);
    pass(HASKELL_NS);
    capabilities_busy = CPUS - 1;
    wait_in_vain(GHCOMP_WAIT_TEAM);
    CHECK(yields_made > 0);
    end_beside_haskell(&account);
}

int main(void)
{
    ghcomp_env_init();
    threads_on_one_cpu_yield_at_once();
    threads_of_regions_count_before_they_run();
    threads_on_one_cpu_hand_over_at_once();
    threads_on_one_cpu_yield_to_each_other();
    waiters_seldom_look_at_haskell();
    a_large_team_yields_only_where_haskell_leaves_a_cpu();
    a_worker_leaves_a_shared_cpu();
    a_worker_that_was_refused_asks_again();
    neighbours_that_were_met_keep_no_worker_from_an_idle_cpu();
    beside_neighbours_no_worker_moves_blindly(false);
    beside_neighbours_no_worker_moves_blindly(true);
    a_worker_that_is_brought_back_leaves_again();
    a_move_that_fails_is_tried_again();
    no_worker_leaves_for_a_busy_cpu();
    threads_that_only_switch_part_beside_a_neighbour();
    threads_that_part_beside_two_neighbours_still_have_one();
    threads_in_a_crowd_do_not_part();
    threads_that_cannot_part_learn_nothing();
    a_large_teams_worker_leaves_for_any_cpu();
    ghcomp_self_member = NULL;
    return 0;
}
