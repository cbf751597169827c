/* Teams, the pool and the barrier from inside: sizes, reuse of workers, nesting, many masters, sleeping workers,
   leaving a barrier early, fork(). Runs under ASan+UBSan and TSan. */
#include "process.h"

#include <pthread.h>
#include <string.h>

#include "core/sync/barrier.h"
#include "core/sync/eventcount.h"
#include "core/team/barrier_policy.h"
#include "core/team/pool.h"
#include "core/sync/barrier_flags.h"
#include "core/team/team.h"
#include "core/cpu/wait.h"

enum { MOST = 64 };

struct census {
    _Atomic int seen[MOST];
    _Atomic int total;
    int expected;
};

static void count_me(void *data)
{
    struct census *census = data;
    struct ghcomp_member *self = ghcomp_self();
    CHECK_EQUAL(census->expected, self->team->size);
    ghcomp_add_relaxed(&census->seen[self->tid], 1);
    ghcomp_add_relaxed(&census->total, 1);
}

static void region_of(int size)
{
    struct census census;
    memset(&census, 0, sizeof census);
    census.expected = size;
    ghcomp_team_parallel(count_me, &census, (uint32_t)size, 0);
    CHECK_EQUAL(size, census.total);
    for (int i = 0; i < size; i++)
        CHECK_EQUAL(1, census.seen[i]);
}

static void check_number(void *data)
{
    (void)data;
    CHECK_EQUAL(ghcomp_self()->tid, ghcomp_self()->thread->number);
}

/* In whatever order workers are made, their numbers, which choose their Capabilities, go up with their places. Runs
   before any other region. */
static void new_workers_are_numbered_in_order(void)
{
    ghcomp_team_parallel(check_number, NULL, 6, 0);
    ghcomp_team_parallel(check_number, NULL, 9, 0);
}

static unsigned next_random(unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    return *state >> 16;
}

static void sizes_change_every_region(void)
{
    unsigned seed = 7;
    for (int i = 0; i < 300; i++)
        region_of(1 + (int)(next_random(&seed) % 9));
    region_of(9);
    uint32_t created = ghcomp_pool_created();
    CHECK_EQUAL(8, created);
    for (int i = 0; i < 300; i++)
        region_of(1 + (int)(next_random(&seed) % 9));
    CHECK_EQUAL(created, ghcomp_pool_created());
}

/* Nesting: each level counts its leaves. */
static const int shape[] = {2, 3, 2};
static _Atomic int leaves;

static void nest(void *data)
{
    int depth = (int)(intptr_t)data;
    struct ghcomp_member *self = ghcomp_self();
    CHECK_EQUAL(depth, self->team->level);
    CHECK_EQUAL(depth, self->team->active_level);
    if (depth == 3) {
        ghcomp_add_relaxed(&leaves, 1);
        return;
    }
    CHECK_EQUAL(shape[depth - 1], self->team->size);
    ghcomp_team_parallel(nest, (void *)(intptr_t)(depth + 1), depth < 3 ? (uint32_t)shape[depth] : 1, 0);
    CHECK(ghcomp_self() == self);
}

static void nested_teams_stay_hot(void)
{
    uint32_t after_first = 0;
    for (int i = 0; i < 50; i++) {
        ghcomp_store_relaxed(&leaves, 0);
        ghcomp_team_parallel(nest, (void *)1, 2, 0);
        CHECK_EQUAL(2 * 3 * 2, leaves);
        if (i == 0)
            after_first = ghcomp_pool_created();
    }
    CHECK_EQUAL(after_first, ghcomp_pool_created());
}

/* Barrier: no member is ever an episode ahead of another. */
struct phases {
    _Atomic int in_phase;
    int plain; /* written by one member a phase, read by all: only the barrier orders it */
};

static void march(void *data)
{
    struct phases *phases = data;
    struct ghcomp_member *self = ghcomp_self();
    int size = (int)self->team->size;
    for (int phase = 0; phase < 200; phase++) {
        ghcomp_add_relaxed(&phases->in_phase, 1);
        if ((int)self->tid == phase % size)
            phases->plain = phase;
        if ((phase + (int)self->tid) % 7 == 0)
            ghcomp_os_yield();
        ghcomp_barrier_wait(self);
        CHECK_EQUAL((phase + 1) * size, phases->in_phase);
        CHECK_EQUAL(phase, phases->plain);
        ghcomp_barrier_wait(self);
    }
}

static void barriers_order(void)
{
    static const uint32_t sizes[] = {1, 2, 3, 4, 5, 7, 9, 17};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct phases phases = {0};
        ghcomp_team_parallel(march, &phases, sizes[i], 0);
    }
}

/* Leaving a barrier early: one member cancels while the others wait or sleep. */
static _Atomic int left_early;

static void cancel_one(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    if (self->tid == 0) {
        for (int i = 0; i < 100; i++)
            ghcomp_os_yield();
        ghcomp_or_acqrel(&self->team->cancelled, (uint32_t)GHCOMP_CANCELLED_PARALLEL);
        ghcomp_eventcount_notify(self->team);
    } else if (ghcomp_barrier_wait_cancellable(self)) {
        ghcomp_add_relaxed(&left_early, 1);
    }
}

static void cancelled_barriers_let_go(void)
{
    for (int i = 0; i < 100; i++) {
        ghcomp_store_relaxed(&left_early, 0);
        ghcomp_team_parallel(cancel_one, NULL, 5, 0);
        CHECK_EQUAL(4, left_early);
        struct phases phases = {0};
        if (i % 10 == 0)
            ghcomp_team_parallel(march, &phases, 5, 0);
    }
}

static void *master(void *data)
{
    unsigned seed = (unsigned)(uintptr_t)data;
    for (int i = 0; i < 100; i++)
        region_of(1 + (int)(next_random(&seed) % 5));
    return NULL;
}

static void many_masters(void)
{
    pthread_t threads[16];
    for (uintptr_t i = 0; i < 16; i++)
        CHECK(pthread_create(&threads[i], NULL, master, (void *)(i + 1)) == 0);
    for (int i = 0; i < 16; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    uint32_t created = ghcomp_pool_created();
    /* The masters' workers are free again: a single master at a time needs no new worker. */
    for (uintptr_t i = 0; i < 16; i++) {
        CHECK(pthread_create(&threads[0], NULL, master, (void *)(i + 1)) == 0);
        CHECK(pthread_join(threads[0], NULL) == 0);
    }
    CHECK_EQUAL(created, ghcomp_pool_created());
}

static void fork_between_regions(void)
{
#ifndef __SANITIZE_THREAD__ /* TSan cannot start threads in the child of a process with threads */
    if (unit_without("fork"))
        return;
    region_of(4);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        region_of(4);
        region_of(6);
        CHECK_EQUAL(5, ghcomp_pool_created());
        _exit(0);
    }
    CHECK_EQUAL(0, status_of(child));
    region_of(4);
#endif
}

int main(void)
{
    ghcomp_env_init();
#ifdef LARGE_TEAMS /* see team_tree.c */
    ghcomp_tree_from = 2;
#endif
    ghcomp_flags_to = ghcomp_unfenced_to = GHCOMP_BARRIER_FLAGS; /* on any machine */
    ghcomp_global.initial.max_active_levels = 8;
#ifdef ALWAYS_SLEEP /* see team_sleep.c */
    for (int kind = 0; kind < GHCOMP_WAIT_KINDS; kind++)
        ghcomp_wait_set_limit(kind, 0, 0);
#endif
    new_workers_are_numbered_in_order();
    sizes_change_every_region();
    nested_teams_stay_hot();
    barriers_order();
    cancelled_barriers_let_go();
    fork_between_regions();
    many_masters();
    for (int i = 0; i < 20; i++) {
        region_of(17);
        region_of(64);
    }
    return 0;
}
