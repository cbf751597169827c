/* Statistics: sums over threads that run, that have ended and that a fork() left behind; what regions count. Runs under
   ASan+UBSan and TSan. */
#include "process.h"

#include <pthread.h>

#include "core/state/settings.h"
#include "core/state/icv.h"
#include "core/team/pool.h"
#include "core/state/stats.h"
#include "core/team/team.h"
#include "host/os.h"

enum { THREADS = 12, TIMES = 1000 };

static uint64_t sum_of(enum ghcomp_counter counter)
{
    uint64_t sums[GHCOMP_COUNTERS];
    ghcomp_stats_sum(sums);
    return sums[counter];
}

static _Atomic int counting;
static _Atomic bool may_end;

static void *count_and_stay(void *data)
{
    uint64_t more = (uint64_t)(uintptr_t)data;
    struct ghcomp_counts *counts = &ghcomp_self()->thread->counts;
    for (int i = 0; i < TIMES; i++) {
        ghcomp_count_in(counts, GHCOMP_COUNT_STEALS, more);
        ghcomp_count_in(counts, GHCOMP_COUNT_LENT, 1);
    }
    ghcomp_add_acqrel(&counting, 1);
    while (!ghcomp_load_acquire(&may_end))
        ghcomp_os_yield();
    return NULL;
}

static void *come_and_go(void *data)
{
    for (int i = 0; i < TIMES / 10; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, count_and_stay, data) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    return NULL;
}

static void ended_threads_are_in_the_sum(void)
{
    pthread_t threads[THREADS];
    uint64_t steals = THREADS * (THREADS + 1) / 2 * TIMES;
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, count_and_stay, (void *)(i + 1)) == 0);
    uint64_t last = 0;
    while (ghcomp_load_acquire(&counting) < THREADS) { /* meanwhile counts only grow */
        uint64_t now = sum_of(GHCOMP_COUNT_STEALS);
        CHECK(now >= last && now <= steals);
        last = now;
    }
    CHECK_EQUAL(steals, sum_of(GHCOMP_COUNT_STEALS));
    CHECK_EQUAL(THREADS * TIMES, sum_of(GHCOMP_COUNT_LENT));
    ghcomp_store_release(&may_end, true);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK_EQUAL(steals, sum_of(GHCOMP_COUNT_STEALS));
    /* Many threads come and go while others add up. */
    for (uintptr_t i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, come_and_go, (void *)1) == 0);
    for (last = 0; ghcomp_load_relaxed(&counting) < THREADS + 4 * (TIMES / 10); ghcomp_os_yield()) {
        uint64_t now = sum_of(GHCOMP_COUNT_STEALS);
        CHECK(now >= last && now >= steals);
        last = now;
    }
    for (int i = 0; i < 4; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK_EQUAL(steals + 4 * (TIMES / 10) * TIMES, sum_of(GHCOMP_COUNT_STEALS));
}

static void nothing(void *data)
{
    (void)data;
}

static void nest(void *data)
{
    ghcomp_team_parallel(nothing, data, 2, 0);
}

static void regions_count(void)
{
    uint64_t regions = sum_of(GHCOMP_COUNT_REGIONS), wanted = sum_of(GHCOMP_COUNT_WANTED);
    CHECK_EQUAL(0, regions);
    for (uint32_t size = 1; size <= 5; size++)
        ghcomp_team_parallel(nothing, NULL, size, 0);
    CHECK_EQUAL(4, sum_of(GHCOMP_COUNT_REGIONS)); /* a team of one thread is not counted */
    CHECK_EQUAL(wanted + 2 + 3 + 4 + 5, sum_of(GHCOMP_COUNT_WANTED));
    CHECK_EQUAL(2 + 3 + 4 + 5, sum_of(GHCOMP_COUNT_GIVEN));
    ghcomp_team_parallel(nest, NULL, 3, 0); /* its members count the inner ones */
    CHECK_EQUAL(4 + 1 + 3, sum_of(GHCOMP_COUNT_REGIONS));
    CHECK_EQUAL(14 + 3 + 3 * 2, sum_of(GHCOMP_COUNT_GIVEN));
    /* Threads that dyn-var takes away are wanted and not given. */
    struct ghcomp_icvs *icv = ghcomp_icv_own(ghcomp_self()->task);
    icv->dynamic = true;
    icv->nthreads = 100;
    ghcomp_global.num_cpus = 4;
    ghcomp_team_parallel(nothing, NULL, 0, 0);
    icv->dynamic = false;
    CHECK_EQUAL(23 + 100, sum_of(GHCOMP_COUNT_WANTED));
    CHECK_EQUAL(23 + 4, sum_of(GHCOMP_COUNT_GIVEN));
}

static void children_go_on_counting(void)
{
    if (unit_without("fork"))
        return;
    uint64_t regions = sum_of(GHCOMP_COUNT_REGIONS), lent = sum_of(GHCOMP_COUNT_LENT);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        CHECK_EQUAL(regions, sum_of(GHCOMP_COUNT_REGIONS));
        ghcomp_count_in(&ghcomp_self()->thread->counts, GHCOMP_COUNT_LENT, 5);
        pid_t grandchild = fork();
        if (grandchild == 0) {
            ghcomp_count_in(&ghcomp_self()->thread->counts, GHCOMP_COUNT_LENT, 2);
            CHECK_EQUAL(lent + 7, sum_of(GHCOMP_COUNT_LENT));
            _exit(0);
        }
        CHECK_EQUAL(0, status_of(grandchild));
#ifndef __SANITIZE_THREAD__ /* TSan cannot start threads in the child of a process with threads */
        ghcomp_team_parallel(nothing, NULL, 3, 0);
        CHECK_EQUAL(regions + 1, sum_of(GHCOMP_COUNT_REGIONS));
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, count_and_stay, (void *)1) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
        CHECK_EQUAL(lent + 5 + TIMES, sum_of(GHCOMP_COUNT_LENT));
#endif
        _exit(0);
    }
    CHECK_EQUAL(0, status_of(child));
    CHECK_EQUAL(lent, sum_of(GHCOMP_COUNT_LENT));
}

int main(void)
{
    ghcomp_env_init();
    ghcomp_global.initial.max_active_levels = 2;
    regions_count();
    ended_threads_are_in_the_sum();
    children_go_on_counting();
    return 0;
}
