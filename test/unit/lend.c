/* Lending: which master gets whose workers; a master gets its own back when no other took them; teams with inner teams,
   of target regions and of cancelled regions; masters that go on or end while another one takes their workers; pauses;
   fork(). Each case is a process of its own. Runs under ASan+UBSan and TSan. */
#include "process.h"

#include <pthread.h>

#include "core/sync/barrier.h"
#include "core/sync/eventcount.h"
#include "core/state/settings.h"
#include "core/state/icv.h"
#include "core/team/lend.h"
#include "core/team/pool.h"
#include "core/state/stats.h"
#include "core/team/target.h"
#include "core/team/team.h"
#include "core/cpu/cpu_account.h"

int omp_pause_resource_all(int kind);
enum { PAUSE_SOFT = 1, MOST = 16 };

static uint64_t lent(void)
{
    uint64_t sums[GHCOMP_COUNTERS];
    ghcomp_stats_sum(sums);
    return sums[GHCOMP_COUNT_LENT];
}

/* A taker that has an idle team stays in the taking until the gate is open. */
static _Atomic bool gated, open, taking;
uint32_t __wrap_ghcomp_team_dismiss(struct ghcomp_team *team);
uint32_t __real_ghcomp_team_dismiss(struct ghcomp_team *team);
uint32_t __wrap_ghcomp_team_dismiss(struct ghcomp_team *team)
{
    if (ghcomp_load_relaxed(&gated)) {
        CHECK_EQUAL(GHCOMP_LENT_TAKEN, ghcomp_load_relaxed(&team->lent));
        ghcomp_store_release(&taking, true);
        while (!ghcomp_load_acquire(&open))
            ghcomp_os_yield();
    }
    return __real_ghcomp_team_dismiss(team);
}

/* After a master has collected workers, and before it takes them, another one takes two. */
static uint32_t rob;
static struct ghcomp_thread *robbed[2];
bool __wrap_ghcomp_lend_collect(const struct ghcomp_kind *kind, uint32_t count);
bool __real_ghcomp_lend_collect(const struct ghcomp_kind *kind, uint32_t count);
bool __wrap_ghcomp_lend_collect(const struct ghcomp_kind *kind, uint32_t count)
{
    bool more = __real_ghcomp_lend_collect(kind, count);
    int error;
    if (rob > 0 && rob-- > 0)
        CHECK_EQUAL(2, ghcomp_pool_take(robbed, 2, &error));
    return more;
}

/* --- regions ------------------------------------------------------------------------------------------------------ */

struct crew {
    uint32_t size;
    uint32_t inner;  /* not 0: each member runs an inner region of that size */
    bool cancels;
    uint32_t numbers[MOST]; /* thread numbers, each written by a member; read by the master after the join */
};

static void inside(void *data)
{
    CHECK_EQUAL(*(uint32_t *)data, ghcomp_self()->team->size);
}

static void note(void *data)
{
    struct crew *crew = data;
    struct ghcomp_member *self = ghcomp_self();
    CHECK_EQUAL(crew->size, self->team->size);
    crew->numbers[self->tid] = self->thread->number;
    if (crew->inner != 0)
        ghcomp_team_parallel(inside, &crew->inner, crew->inner, 0);
    if (crew->cancels && self->tid == 0) {
        ghcomp_or_acqrel(&self->team->cancelled, (uint32_t)GHCOMP_CANCELLED_PARALLEL);
        ghcomp_eventcount_notify(self->team);
    } else if (crew->cancels) {
        ghcomp_barrier_wait_cancellable(self);
    } else {
        ghcomp_barrier_wait(self);
    }
}

static void run(struct crew *crew)
{
    ghcomp_team_parallel(note, crew, crew->size, 0);
}

/* Another master, which runs what it is told. */
static struct {
    pthread_t thread;
    _Atomic int asked, done; /* asked: store_release by the test, load_acquire by the master; done: reversed */
    void (*what)(struct crew *crew);
    struct crew *crew;
} other;

static void *do_as_told(void *nothing)
{
    (void)nothing;
    for (int seen = 0;;) {
        while (ghcomp_load_acquire(&other.asked) == seen)
            ghcomp_os_yield();
        seen++;
        if (other.what == NULL)
            return NULL;
        other.what(other.crew);
        ghcomp_store_release(&other.done, seen);
    }
}

static void begin_there(void (*what)(struct crew *crew), struct crew *crew)
{
    other.what = what;
    other.crew = crew;
    ghcomp_store_release(&other.asked, ghcomp_load_relaxed(&other.asked) + 1);
}

static void wait_there(void)
{
    while (ghcomp_load_acquire(&other.done) != ghcomp_load_relaxed(&other.asked))
        ghcomp_os_yield();
}

static void there(void (*what)(struct crew *crew), struct crew *crew)
{
    begin_there(what, crew);
    wait_there();
}

static void start_other(void)
{
    CHECK(pthread_create(&other.thread, NULL, do_as_told, NULL) == 0);
}

static void end_other(void)
{
    begin_there(NULL, NULL);
    CHECK(pthread_join(other.thread, NULL) == 0);
}

static bool same(const struct crew *a, const struct crew *b)
{
    for (uint32_t i = 1; i < a->size; i++)
        if (a->numbers[i] != b->numbers[i])
            return false;
    return a->size == b->size;
}

/* --- one master lends, another takes ------------------------------------------------------------------------------ */

static void workers_go_round(void)
{
    struct crew mine = {.size = 4}, again = {.size = 4}, its = {.size = 4};
    start_other();
    run(&mine);
    for (int i = 0; i < 50; i++) {
        run(&again);
        CHECK(same(&mine, &again)); /* no other master wanted them */
    }
    CHECK_EQUAL(0, lent());
    for (int i = 1; i <= 20; i++) {
        there(run, &its);
        run(&again);
        CHECK_EQUAL(3, ghcomp_pool_created());
        CHECK_EQUAL(2 * 3 * i, lent());
    }
    its.size = 3; /* workers that are not needed stay in the pool, for the next */
    there(run, &its);
    CHECK_EQUAL(2 * 3 * 20 + 3, lent());
    again.size = 2;
    run(&again);
    CHECK_EQUAL(2 * 3 * 20 + 3, lent());
    again.size = 5;
    run(&again);
    CHECK_EQUAL(2 * 3 * 20 + 3 + 2, lent());
    CHECK_EQUAL(4, ghcomp_pool_created());
    end_other();
}

static void sticky_teams_are_kept(void)
{
    struct crew mine = {.size = 4}, again = {.size = 4}, its = {.size = 4};
    ghcomp_store_relaxed(&ghcomp_cpu_account_shared, false);
    ghcomp_settings.share = GHCOMP_SHARE_STICKY;
    start_other();
    run(&mine);
    for (int i = 0; i < 20; i++) {
        there(run, &its);
        run(&again);
        CHECK(same(&mine, &again));
    }
    CHECK_EQUAL(6, ghcomp_pool_created());
    CHECK_EQUAL(0, lent());
    end_other();
}

/* With dyn-var on no size is promised: the sizes are what is idle, and num_threads clauses give no more than the
 * CPUs. */
static void dynamic_teams_are_lent(void)
{
    ghcomp_global.num_cpus = 5;
    ghcomp_store_relaxed(&ghcomp_cpu_account_shared, false);
    ghcomp_settings.share = GHCOMP_SHARE_AUTO;
    ghcomp_global.initial.dynamic = true;
    ghcomp_global.initial.nthreads = 4;
    struct crew mine = {.size = 4}, its = {.size = 4};
    start_other();
    ghcomp_team_parallel(note, &mine, 0, 0);
    CHECK_EQUAL(3, ghcomp_pool_created());
    there(run, &its);
    CHECK_EQUAL(3, ghcomp_pool_created());
    CHECK_EQUAL(3, lent());
    ghcomp_settings.share = GHCOMP_SHARE_STICKY;
    ghcomp_team_parallel(note, &mine, 0, 0);
    CHECK_EQUAL(6, ghcomp_pool_created());
    its.size = 5;
    there(run, &its);
    CHECK_EQUAL(7, ghcomp_pool_created());
    CHECK_EQUAL(3, lent());
    struct crew most = {.size = 5};
    ghcomp_team_parallel(note, &most, 9, 0);
    CHECK_EQUAL(8, ghcomp_pool_created());
    end_other();
}

static void inner_teams_come_along(void)
{
    struct crew mine = {.size = 2, .inner = 3}, its = {.size = 6};
    start_other();
    run(&mine);
    CHECK_EQUAL(1 + 2 * 2, ghcomp_pool_created());
    there(run, &its);
    CHECK_EQUAL(1 + 2 * 2, ghcomp_pool_created());
    for (int i = 0; i < 10; i++) {
        run(&mine);
        there(run, &its);
    }
    CHECK_EQUAL(1 + 2 * 2, ghcomp_pool_created());
    end_other();
}

static void cancelled_teams_are_lent_whole(void)
{
    struct crew mine = {.size = 4, .cancels = true}, its = {.size = 4};
    start_other();
    for (int i = 0; i < 50; i++) {
        run(&mine);
        there(run, &its);
        its.cancels = !its.cancels;
    }
    CHECK_EQUAL(3, ghcomp_pool_created());
    end_other();
}

static void run_crew(void *crew)
{
    run(crew);
    run(crew);
}

static void in_target(struct crew *crew)
{
    ghcomp_target_run(run_crew, crew, 0);
}

/* A worker's target region lends the worker's hot team; then the worker ends, and the hot team with it. */
static void target_in_region(void *data)
{
    in_target(&((struct crew *)data)[ghcomp_self()->tid]);
}

static void target_regions_lend(void)
{
    struct crew mine = {.size = 4}, its = {.size = 4}, each[3] = {{.size = 3}, {.size = 3}, {.size = 3}};
    start_other();
    for (int i = 0; i < 20; i++) {
        in_target(&mine);
        there(in_target, &its);
    }
    CHECK_EQUAL(3, ghcomp_pool_created());
    for (int i = 0; i < 20; i++) {
        ghcomp_team_parallel(target_in_region, each, 3, 0);
        there(run, &its);
    }
    CHECK_EQUAL(2 + 3 * 2, ghcomp_pool_created());
    end_other();
}

static void *run_in_thread(void *crew)
{
    run(crew);
    return NULL;
}

/* Two idle teams of two workers: those of the first go to another master, and the second is collected, too. */
static void none_is_made_beside_an_idle_team(void)
{
    struct crew mine = {.size = 3}, its = {.size = 3}, third = {.size = 3};
    ghcomp_store_relaxed(&ghcomp_cpu_account_shared, false);
    ghcomp_settings.share = GHCOMP_SHARE_STICKY;
    start_other();
    run(&mine);
    there(run, &its);
    CHECK_EQUAL(4, ghcomp_pool_created());
    ghcomp_store_relaxed(&ghcomp_cpu_account_shared, true);
    ghcomp_settings.share = GHCOMP_SHARE_ALL;
    run(&mine);
    there(run, &its);
    pthread_t thread;
    rob = 1;
    CHECK(pthread_create(&thread, NULL, run_in_thread, &third) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_EQUAL(0, rob);
    CHECK_EQUAL(4, ghcomp_pool_created());
    ghcomp_pool_give(robbed, 2);
    end_other();
}

/* --- while another master takes ----------------------------------------------------------------------------------- */

static void close_gate(void)
{
    ghcomp_store_relaxed(&taking, false);
    ghcomp_store_relaxed(&open, false);
    ghcomp_store_relaxed(&gated, true);
}

static void *open_gate_soon(void *nothing)
{
    (void)nothing;
    ghcomp_os_nap(20000000);
    ghcomp_store_relaxed(&gated, false);
    ghcomp_store_release(&open, true);
    return NULL;
}

static void open_gate_behind(void (*what)(struct crew *crew), struct crew *crew)
{
    pthread_t opener;
    CHECK(pthread_create(&opener, NULL, open_gate_soon, NULL) == 0);
    what(crew);
    CHECK(ghcomp_load_acquire(&open)); /* it has waited */
    CHECK(pthread_join(opener, NULL) == 0);
}

static void pause_now(struct crew *crew)
{
    (void)crew;
    CHECK_EQUAL(0, omp_pause_resource_all(PAUSE_SOFT));
}

static void masters_go_on(void)
{
    struct crew mine = {.size = 4}, its = {.size = 4};
    start_other();
    for (uint32_t i = 0; i < 5; i++) {
        there(pause_now, NULL); /* this master has no idle team, and there is none in the pool */
        pause_now(NULL);
        run(&mine);
        close_gate();
        begin_there(run, &its);
        while (!ghcomp_load_acquire(&taking))
            ghcomp_os_yield();
        open_gate_behind(run, &mine);
        wait_there();
        CHECK(ghcomp_pool_created() <= 6 * (i + 1));
    }
    end_other();
}

static void *take(void *crew)
{
    run(crew);
    return NULL;
}

static void join_other(struct crew *crew)
{
    (void)crew;
    CHECK(pthread_join(other.thread, NULL) == 0);
}

static void masters_end(void)
{
    struct crew mine = {.size = 4}, its = {.size = 4};
    for (int i = 0; i < 5; i++) {
        other.asked = other.done = 0;
        start_other();
        there(run, &its);
        close_gate();
        pthread_t taker;
        CHECK(pthread_create(&taker, NULL, take, &mine) == 0);
        while (!ghcomp_load_acquire(&taking))
            ghcomp_os_yield();
        begin_there(NULL, NULL);
        open_gate_behind(join_other, NULL);
        CHECK(pthread_join(taker, NULL) == 0);
        CHECK_EQUAL(3, ghcomp_pool_created());
        CHECK(!ghcomp_lend_any());
    }
}

static void pauses_wait_and_end_workers(void)
{
    struct crew mine = {.size = 4}, its = {.size = 4};
    start_other();
    run(&mine);
    close_gate();
    begin_there(run, &its);
    while (!ghcomp_load_acquire(&taking))
        ghcomp_os_yield();
    open_gate_behind(pause_now, NULL);
    wait_there();
    for (int i = 0; i < 20; i++) {
        run(&mine);
        pause_now(NULL);
        there(run, &its);
        there(pause_now, NULL);
    }
    end_other();
}

/* --- all at once -------------------------------------------------------------------------------------------------- */

static void *mix(void *data)
{
    unsigned seed = (unsigned)(uintptr_t)data * 7919u;
    for (int i = 0; i < 60; i++) {
        seed = seed * 1103515245u + 12345u;
        struct crew crew = {.size = 1 + (seed >> 16) % 5, .inner = (seed >> 20) % 8 == 0 ? 2 : 0};
        crew.cancels = (seed >> 24) % 8 == 0;
        if ((seed >> 12) % 8 == 0)
            in_target(&crew);
        else
            run(&crew);
        if ((seed >> 8) % 32 == 0)
            pause_now(NULL);
    }
    return NULL;
}

static void *come_and_go(void *data)
{
    for (uintptr_t i = 0; i < 5; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, mix, (void *)((uintptr_t)data * 5 + i + 1)) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    return NULL;
}

static void everything_at_once(void)
{
    pthread_t threads[6];
    for (uintptr_t i = 0; i < 6; i++)
        CHECK(pthread_create(&threads[i], NULL, come_and_go, (void *)i) == 0);
    for (int i = 0; i < 6; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(!ghcomp_lend_any()); /* all of them ended */
    CHECK_EQUAL(0, ghcomp_cpu_account_counts().threads);
}

#ifndef __SANITIZE_THREAD__ /* TSan cannot start threads in the child of a process with threads */
static void children_have_no_idle_teams(void)
{
    if (unit_without("fork"))
        return;
    struct crew mine = {.size = 4}, its = {.size = 4};
    start_other();
    run(&mine);
    there(run, &its);
    run(&mine);
    CHECK(ghcomp_lend_any());
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        CHECK(!ghcomp_lend_any());
        run(&mine);
        CHECK_EQUAL(3, ghcomp_pool_created());
        start_other();
        other.asked = other.done = 0;
        for (int i = 0; i < 5; i++) {
            there(run, &its);
            run(&mine);
        }
        CHECK(ghcomp_load_relaxed(&ghcomp_cpu_account_shared));
        _exit(0);
    }
    CHECK_EQUAL(0, status_of(child));
    there(run, &its);
    CHECK_EQUAL(3, ghcomp_pool_created());
    end_other();
}
#endif

static void prepare(void)
{
    ghcomp_env_init();
    ghcomp_settings.share = GHCOMP_SHARE_ALL;
    ghcomp_settings.admission = GHCOMP_ADMISSION_OFF; /* the masters' order is the test's */
    ghcomp_global.num_cpus = 4;
    ghcomp_global.initial.max_active_levels = 3;
    ghcomp_pool_host();
    CHECK(ghcomp_load_relaxed(&ghcomp_cpu_account_shared));
}

static const struct unit_case cases[] = {
    UNIT_CASE(workers_go_round),
    UNIT_CASE(sticky_teams_are_kept),
    UNIT_CASE(dynamic_teams_are_lent),
    UNIT_CASE(inner_teams_come_along),
    UNIT_CASE(cancelled_teams_are_lent_whole),
    UNIT_CASE(target_regions_lend),
    UNIT_CASE(none_is_made_beside_an_idle_team),
    UNIT_CASE(masters_go_on),
    UNIT_CASE(masters_end),
    UNIT_CASE(pauses_wait_and_end_workers),
    UNIT_CASE(everything_at_once),
#ifndef __SANITIZE_THREAD__
    UNIT_CASE(children_have_no_idle_teams),
#endif
};

int main(int argc, char **argv)
{
    return RUN_CASES(argc, argv, prepare, cases);
}
