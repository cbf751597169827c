/* The account of the process's CPUs: counts, epochs, full counts, dyn-var's sizes, the collector's threads, fork(). The
   host is the test's own, linked as a Haskell program's would be. Runs under ASan+UBSan and TSan. */
#include "process.h"

#include <pthread.h>

#include "core/sync/barrier.h"
#include "core/cpu/cpu_account.h"
#include "core/state/settings.h"
#include "core/state/icv.h"
#include "core/team/pool.h"
#include "core/team/team.h"
#include "fake_ghc.h"

enum { CPUS = 8, MASTERS = 12, ROUNDS = 3000 };

/* --- a host ------------------------------------------------------------------------------------------------------- */

static uint32_t collector_initially = 6; /* 0: the RTS sets no limit */
static uint32_t collector_word;

static uint32_t no_capabilities(void)
{
    return 0;
}

static uint32_t *collector_threads(void)
{
    ghcomp_os_yield(); /* so that other threads can come here too */
    return &collector_word;
}

FAKE_GHC(.origin = "linked", .capabilities = no_capabilities, .collector_threads = collector_threads);

static uint32_t collector_now(void)
{
    return __atomic_load_n(&collector_word, __ATOMIC_SEQ_CST);
}

static uint32_t collector_beside_threads(uint32_t threads)
{
    uint32_t left = threads < CPUS ? CPUS - threads : 1;
    uint32_t most = collector_initially == 0 ? CPUS : collector_initially;
    return threads == 0 ? collector_initially : left > most ? most : left;
}

static void check_counts(uint32_t masters, uint32_t threads, uint32_t recent)
{
    struct ghcomp_cpu_account_counts counts = ghcomp_cpu_account_counts();
    CHECK_EQUAL(masters, counts.masters);
    CHECK_EQUAL(threads, counts.threads);
    CHECK_EQUAL(recent, counts.recent);
    CHECK_EQUAL(collector_beside_threads(threads), collector_now());
}

/* The last region has ended, and workers look for another one: until they sleep, the collector's number lingers. */
static void check_none(void)
{
    while (collector_now() != collector_initially)
        ghcomp_os_yield();
    check_counts(0, 0, 0);
}

/* --- the account -------------------------------------------------------------------------------------------------- */

static void regions_come_and_go(void)
{
    struct ghcomp_account a, b, c, inner;
    check_counts(0, 0, 0);
    CHECK(ghcomp_cpu_account_enter_if_fits(&a, 3));
    check_counts(1, 3, 3);
    CHECK(ghcomp_cpu_account_enter_if_fits(&b, 5));
    check_counts(2, 8, 8);
    CHECK(!ghcomp_cpu_account_enter_if_fits(&c, 1));
    check_counts(2, 8, 8);
    ghcomp_cpu_account_enter(&c, 4, true);
    ghcomp_cpu_account_enter(&inner, 3, false);
    check_counts(3, 15, 15);
    ghcomp_cpu_account_leave(&b);
    ghcomp_cpu_account_leave(&inner);
    check_counts(2, 7, 7);
    ghcomp_cpu_account_leave(&a);
    ghcomp_cpu_account_leave(&c);
    check_counts(0, 0, 0);
}

static void enter_and_leave(uint32_t threads)
{
    struct ghcomp_account account;
    ghcomp_cpu_account_enter(&account, threads, true);
    ghcomp_cpu_account_leave(&account);
}

static void the_collectors_number_lingers(void)
{
    ghcomp_add_relaxed(&ghcomp_cpu_load.awake, 2u);
    enter_and_leave(3);
    CHECK_EQUAL(collector_beside_threads(3), collector_now());
    enter_and_leave(4);
    ghcomp_wait_worker_leaves();
    CHECK_EQUAL(collector_beside_threads(4), collector_now());
    ghcomp_wait_worker_leaves();
    check_counts(0, 0, 0);
    enter_and_leave(3);
    check_counts(0, 0, 0);
    /* A worker may sleep while a region runs. */
    struct ghcomp_account account;
    ghcomp_cpu_account_enter(&account, 5, true);
    ghcomp_add_relaxed(&ghcomp_cpu_load.awake, 1u);
    ghcomp_wait_worker_leaves();
    check_counts(1, 5, 5);
    ghcomp_cpu_account_leave(&account);
    check_counts(0, 0, 0);
    /* Workers that never sleep do not put it right. */
    ghcomp_wait_set_budget(UINT64_MAX);
    ghcomp_add_relaxed(&ghcomp_cpu_load.awake, 1u);
    enter_and_leave(3);
    check_counts(0, 0, 0);
    ghcomp_wait_worker_leaves();
    ghcomp_wait_init();
}

/* Beside a team larger than the machine only teams like it enter, up to four threads per CPU together; none that would
   fit the machine does. */
static void large_teams_share_the_machine(void)
{
    struct ghcomp_account a, b, c;
    CHECK(ghcomp_cpu_account_enter_if_fits(&a, CPUS * 2));
    CHECK(!ghcomp_cpu_account_enter_if_fits(&b, 1));
    CHECK(!ghcomp_cpu_account_enter_if_fits(&b, CPUS));
    CHECK(ghcomp_cpu_account_enter_if_fits(&b, CPUS * 2));
    check_counts(2, CPUS * 4, CPUS * 4);
    CHECK(!ghcomp_cpu_account_enter_if_fits(&c, CPUS + 1));
    ghcomp_cpu_account_leave(&a);
    CHECK(!ghcomp_cpu_account_enter_if_fits(&c, CPUS * 2 + 1));
    CHECK(ghcomp_cpu_account_enter_if_fits(&c, CPUS + 1));
    ghcomp_cpu_account_leave(&b);
    ghcomp_cpu_account_leave(&c);
    check_counts(0, 0, 0);
    CHECK(ghcomp_cpu_account_enter_if_fits(&a, CPUS * 5)); /* alone, any size fits */
    ghcomp_cpu_account_leave(&a);
    check_counts(0, 0, 0);
}

static void new_epochs_let_others_in(void)
{
    struct ghcomp_account a, b, c;
    CHECK(ghcomp_cpu_account_enter_if_fits(&a, CPUS));
    CHECK(!ghcomp_cpu_account_enter_if_fits(&b, 2));
    ghcomp_cpu_account_next_epoch();
    check_counts(1, CPUS, 0);
    CHECK(ghcomp_cpu_account_enter_if_fits(&b, CPUS - 1));
    check_counts(2, 2 * CPUS - 1, CPUS - 1);
    ghcomp_cpu_account_leave(&a); /* does not change the count of this epoch */
    check_counts(1, CPUS - 1, CPUS - 1);
    CHECK(!ghcomp_cpu_account_enter_if_fits(&c, 2));
    ghcomp_cpu_account_leave(&b);
    check_counts(0, 0, 0);
}

/* The epoch's number has wrapped around since a region began: the region is taken for a recent one. */
static void epochs_wrap_around(void)
{
    struct ghcomp_account old, a, b;
    ghcomp_cpu_account_enter(&old, 4, true);
    for (int i = 0; i < 1 << 16; i++)
        ghcomp_cpu_account_next_epoch();
    ghcomp_cpu_account_enter(&a, 3, true);
    ghcomp_cpu_account_leave(&old); /* more threads than are recent: the count stays */
    check_counts(1, 3, 3);
    ghcomp_cpu_account_leave(&a);
    check_counts(0, 0, 0);

    ghcomp_cpu_account_enter(&old, 4, true);
    for (int i = 0; i < 1 << 16; i++)
        ghcomp_cpu_account_next_epoch();
    ghcomp_cpu_account_enter(&a, 3, true);
    ghcomp_cpu_account_enter(&b, 3, true);
    ghcomp_cpu_account_leave(&old);
    check_counts(2, 6, 2);
    ghcomp_cpu_account_leave(&a);
    ghcomp_cpu_account_leave(&b);
    check_counts(0, 0, 2);
    ghcomp_cpu_account_next_epoch();
    check_counts(0, 0, 0);
}

static void full_counts_are_left_alone(void)
{
    enum { MOST_THREADS = (1 << 18) - 1, MOST_MASTERS = (1 << 12) - 1 };
    static struct ghcomp_account accounts[MOST_MASTERS + 2];
    struct ghcomp_account a, b, c;
    ghcomp_cpu_account_enter(&a, MOST_THREADS - 1, true);
    ghcomp_cpu_account_enter(&b, 2, true);
    CHECK_EQUAL(0, b.threads);
    CHECK(!b.master);
    check_counts(1, MOST_THREADS - 1, MOST_THREADS - 1);
    ghcomp_cpu_account_enter(&c, 1, false);
    check_counts(1, MOST_THREADS, MOST_THREADS);
    ghcomp_cpu_account_enter(&b, UINT32_MAX / 2, true);
    CHECK_EQUAL(0, b.threads);
    ghcomp_cpu_account_leave(&b);
    check_counts(1, MOST_THREADS, MOST_THREADS);
    ghcomp_cpu_account_leave(&a);
    ghcomp_cpu_account_leave(&c);
    check_counts(0, 0, 0);
    for (int i = 0; i < MOST_MASTERS + 2; i++)
        ghcomp_cpu_account_enter(&accounts[i], 1, true);
    check_counts(MOST_MASTERS, MOST_MASTERS, MOST_MASTERS);
    for (int i = 0; i < MOST_MASTERS + 2; i++)
        ghcomp_cpu_account_leave(&accounts[i]);
    check_counts(0, 0, 0);
}

static void idle_cpus_are_given_once(void)
{
    struct ghcomp_account a, b, c, inner;
    CHECK_EQUAL(3, ghcomp_cpu_account_enter_idle(&a, 3, true));
    CHECK_EQUAL(CPUS - 3, ghcomp_cpu_account_enter_idle(&b, 100, true));
    CHECK_EQUAL(1, ghcomp_cpu_account_enter_idle(&c, 100, true));
    check_counts(3, CPUS + 1, CPUS + 1);
    CHECK_EQUAL(1, ghcomp_cpu_account_enter_idle(&inner, 100, false));
    CHECK_EQUAL(0, inner.threads);
    ghcomp_cpu_account_leave(&a);
    CHECK_EQUAL(1 + 2, ghcomp_cpu_account_enter_idle(&inner, 100, false));
    check_counts(2, CPUS, CPUS);
    ghcomp_cpu_account_leave(&inner);
    ghcomp_cpu_account_leave(&b);
    ghcomp_cpu_account_leave(&c);
    check_counts(0, 0, 0);
}

/* A member in Haskell leaves its CPU to the collector, but while it has a region of its own. */
static void members_in_haskell_leave_the_collector_their_cpus(void)
{
    struct ghcomp_account outer, inner;
    ghcomp_cpu_account_enter(&outer, CPUS - 2, true);
    CHECK_EQUAL(2, collector_now());
    CHECK(!ghcomp_cpu_account_in_haskell(true));
    CHECK_EQUAL(3, collector_now());
    CHECK(ghcomp_cpu_account_in_haskell(true)); /* counted once */
    CHECK_EQUAL(3, collector_now());
    ghcomp_cpu_account_enter(&inner, 1, false);
    CHECK_EQUAL(1, collector_now());
    CHECK(!ghcomp_cpu_account_in_haskell(true)); /* a callback's own team */
    CHECK(ghcomp_cpu_account_in_haskell(false));
    ghcomp_cpu_account_leave(&inner);
    CHECK_EQUAL(3, collector_now());
    CHECK_EQUAL(1, ghcomp_cpu_account_enter_idle(&inner, 1, false));
    CHECK_EQUAL(2, collector_now());
    ghcomp_cpu_account_leave(&inner);
    CHECK_EQUAL(3, collector_now());
    ghcomp_cpu_account_leave(&outer);
    CHECK_EQUAL(collector_initially, collector_now()); /* more are in Haskell than in regions: none is outside */
    CHECK(ghcomp_cpu_account_in_haskell(false));
    check_counts(0, 0, 0);
}

/* --- many threads ------------------------------------------------------------------------------------------------- */

static _Atomic uint32_t inside;

static void *adapt_often(void *data)
{
    unsigned seed = (unsigned)(uintptr_t)data;
    for (int i = 0, rounds = unit_rounds(ROUNDS); i < rounds; i++) {
        struct ghcomp_account account;
        seed = seed * 1103515245u + 12345u;
        uint32_t most = 1 + (seed >> 16) % (2 * CPUS), size = ghcomp_cpu_account_enter_idle(&account, most, true);
        CHECK(size >= 1 && size <= most);
        uint32_t taken = size > 1 ? size : 0; /* a size of 1 may mean that no CPU was idle */
        CHECK(ghcomp_add_relaxed(&inside, taken) + taken <= CPUS);
        if (i % 5 == 0)
            ghcomp_os_yield();
        ghcomp_sub_relaxed(&inside, taken);
        ghcomp_cpu_account_leave(&account);
    }
    return NULL;
}

static void *enter_often(void *data)
{
    unsigned seed = (unsigned)(uintptr_t)data;
    for (int i = 0, rounds = unit_rounds(ROUNDS); i < rounds; i++) {
        struct ghcomp_account outer, inner;
        seed = seed * 1103515245u + 12345u;
        uint32_t size = 1 + (seed >> 16) % 5;
        if (!ghcomp_cpu_account_enter_if_fits(&outer, size)) {
            if (i % 100 == 0)
                ghcomp_cpu_account_next_epoch();
            ghcomp_cpu_account_enter(&outer, size, true);
        }
        ghcomp_cpu_account_enter(&inner, size, false);
        if (i % 5 == 0)
            ghcomp_os_yield();
        CHECK(ghcomp_cpu_account_counts().threads >= 2 * size);
        ghcomp_cpu_account_leave(&inner);
        ghcomp_cpu_account_leave(&outer);
    }
    return NULL;
}

/* A worker that goes to sleep while a master leaves its region: one of them puts the collector's number right. */
static void *sleep_and_leave_often(void *data)
{
    uint32_t threads = 1 + (uint32_t)(uintptr_t)data % 3;
    for (int i = 0, rounds = unit_rounds(ROUNDS); i < rounds; i++) {
        ghcomp_add_relaxed(&ghcomp_cpu_load.awake, 1u);
        enter_and_leave(threads);
        ghcomp_wait_worker_leaves();
    }
    return NULL;
}

static void *enter_haskell_often(void *data)
{
    unsigned seed = (unsigned)(uintptr_t)data;
    for (int i = 0, rounds = unit_rounds(ROUNDS); i < rounds; i++) {
        struct ghcomp_account outer, inner;
        seed = seed * 1103515245u + 12345u;
        ghcomp_cpu_account_enter(&outer, 1 + (seed >> 16) % 3, true);
        CHECK(!ghcomp_cpu_account_in_haskell(true));
        if (i % 5 == 0)
            ghcomp_os_yield();
        if (i % 3 == 0) {
            ghcomp_cpu_account_enter(&inner, 1, false);
            ghcomp_cpu_account_leave(&inner);
        }
        CHECK(ghcomp_cpu_account_in_haskell(false));
        ghcomp_cpu_account_leave(&outer);
    }
    return NULL;
}

static void together(void *(*what)(void *))
{
    pthread_t threads[MASTERS];
    for (uintptr_t i = 0; i < MASTERS; i++)
        CHECK(pthread_create(&threads[i], NULL, what, (void *)(i + 1)) == 0);
    for (int i = 0; i < MASTERS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    check_counts(0, 0, 0); /* and the collector has its threads again, whichever thread stored them last */
}

/* Several threads choose the host and run regions at once: one of them records how many threads the collector has. */
static void *begin_and_enter(void *nothing)
{
    struct ghcomp_account account;
    (void)nothing;
    ghcomp_add_relaxed(&inside, 1u);
    while (ghcomp_load_relaxed(&inside) < MASTERS)
        ghcomp_os_yield();
    CHECK(ghcomp_pool_host() == &ghcomp_host_table);
    for (int i = 0; i < 10; i++) {
        ghcomp_cpu_account_enter(&account, CPUS, true);
        ghcomp_cpu_account_leave(&account);
    }
    return NULL;
}

/* --- regions ------------------------------------------------------------------------------------------------------ */

static void in_a_region(void *data)
{
    uint32_t size = *(uint32_t *)data;
    CHECK_EQUAL(size, ghcomp_self()->team->size);
    ghcomp_barrier_wait(ghcomp_self());
    check_counts(1, size, size);
    ghcomp_barrier_wait(ghcomp_self());
}

static void inner_region(void *data)
{
    (void)data;
    ghcomp_barrier_wait(ghcomp_self());
    check_counts(1, 2 + 2, 2 + 2); /* the inner region's master is counted once */
    ghcomp_barrier_wait(ghcomp_self());
}

static void outer_region(void *data)
{
    (void)data;
    if (ghcomp_self()->tid == 0)
        ghcomp_team_parallel(inner_region, NULL, 3, 0);
    ghcomp_barrier_wait(ghcomp_self());
    check_counts(1, 2, 2);
    ghcomp_barrier_wait(ghcomp_self());
}

static void regions_are_counted(void)
{
    for (uint32_t size = 1; size <= CPUS + 2; size++) {
        ghcomp_team_parallel(in_a_region, &size, size, 0);
        check_none();
    }
    ghcomp_team_parallel(outer_region, NULL, 2, 0);
    check_none();
    /* Threads that the thread limit takes away are not counted. */
    struct ghcomp_icvs before = *ghcomp_self()->task->icv;
    ghcomp_icv_own(ghcomp_self()->task)->thread_limit = 4;
    uint32_t limited = 4;
    ghcomp_team_parallel(in_a_region, &limited, 7, 0);
    check_none();
    *ghcomp_icv_own(ghcomp_self()->task) = before;
}

/* --- fork() ------------------------------------------------------------------------------------------------------- */

#ifndef __SANITIZE_THREAD__ /* TSan cannot start threads in the child of a process with threads */
static void nothing(void *data)
{
    (void)data;
    CHECK_EQUAL(2, ghcomp_self()->team->size);
}

static void fork_inside(void *data)
{
    (void)data;
    ghcomp_barrier_wait(ghcomp_self()); /* behind the start of the others' threads: ASan's locks (admission_fork.c) */
    if (ghcomp_self()->tid != 0 || unit_without("fork"))
        return;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0)
        return; /* to the end of the region, without its workers */
    CHECK_EQUAL(0, status_of(child));
}

static void children_start_anew(void)
{
    pid_t parent = getpid();
    struct ghcomp_account other;
    ghcomp_cpu_account_enter(&other, 3, true); /* as if another thread's region ran */
    CHECK(collector_now() == CPUS - 3);
    ghcomp_team_parallel(fork_inside, NULL, 4, 0);
    if (getpid() != parent) {
        CHECK_EQUAL(0, ghcomp_cpu_account_counts().threads);
        CHECK_EQUAL(0, ghcomp_cpu_account_counts().masters);
        CHECK_EQUAL(collector_initially, collector_now());
        CHECK(!ghcomp_load_relaxed(&ghcomp_cpu_account_settled));
        for (int i = 0; i < 3; i++)
            ghcomp_team_parallel(nothing, NULL, 2, 0);
        CHECK_EQUAL(0, ghcomp_cpu_account_counts().threads);
        CHECK_EQUAL(collector_initially, collector_now()); /* the RTS is the parent's */
        CHECK(ghcomp_load_relaxed(&ghcomp_cpu_account_settled) && !ghcomp_load_relaxed(&ghcomp_cpu_account_shared));
        _exit(0);
    }
    check_counts(1, 3, 3);
    ghcomp_cpu_account_leave(&other);
    check_none();
}
#endif

/* --- all of it, for each way that the RTS limits the collector by itself ------------------------------------------ */

static void prepare(void)
{
    ghcomp_env_init();
    static char wanted[] = "auto";
    ghcomp_settings.host = wanted;
    ghcomp_global.num_cpus = CPUS;
    ghcomp_global.initial.max_active_levels = 3;
}

static void all(void)
{
    collector_word = collector_initially;
    CHECK(!ghcomp_load_relaxed(&ghcomp_cpu_account_settled));
    together(begin_and_enter);
    ghcomp_store_relaxed(&inside, 0u);
    CHECK(ghcomp_load_relaxed(&ghcomp_cpu_account_settled) && ghcomp_load_relaxed(&ghcomp_cpu_account_shared));
    regions_come_and_go();
    the_collectors_number_lingers();
    large_teams_share_the_machine();
    new_epochs_let_others_in();
    epochs_wrap_around();
    full_counts_are_left_alone();
    idle_cpus_are_given_once();
    members_in_haskell_leave_the_collector_their_cpus();
    together(enter_haskell_often);
    together(adapt_often);
    together(enter_often);
    together(sleep_and_leave_often);
    regions_are_counted();
#ifndef __SANITIZE_THREAD__
    children_start_anew();
#endif
}

static void collector_of_six(void)
{
    all();
}

static void collector_without_a_limit(void)
{
    collector_initially = 0;
    all();
}

int main(int argc, char **argv)
{
    static const struct unit_case cases[] = {UNIT_CASE(collector_of_six), UNIT_CASE(collector_without_a_limit)};
    return RUN_CASES(argc, argv, prepare, cases);
}
