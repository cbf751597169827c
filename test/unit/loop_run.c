/* Loops by runs from inside. The policy: each row of the table in loop_run.h, at its bounds, and what holds for any
   facts. Loops: which ones have runs; each chunk once, whole and in rising order; a member that comes late; what a
   member that stays in a chunk holds up; cancellation. Runs under ASan+UBSan and TSan. */
#include "unit.h"

#include <sched.h>
#include <string.h>

#include "core/sync/barrier.h"
#include "core/team/cancel.h"
#include "core/worksharing/loop.h"
#include "core/team/team.h"
#include "core/cpu/wait.h"

enum { MOST = 6000, LOOPS = 40, MEMBERS = 9, US = GHCOMP_RUN_TICKS };

/* --- the policy --------------------------------------------------------------------------------------------------- */

static void expect_run(uint64_t run, uint64_t chunks, uint64_t ticks, uint64_t took, uint64_t left, uint64_t chunk,
                       unsigned part)
{
    struct ghcomp_loop_run last = {chunks, ticks, took};
    CHECK_EQUAL(run, ghcomp_loop_run_chunks(last, left, chunk, part));
}

static void table(void)
{
    const uint64_t much = UINT64_C(1) << 39;
    /* The first run of a loop, whatever the clock says. */
    expect_run(1, 0, 0, 0, much, 1, 3);
    expect_run(1, 0, 5 * US, UINT64_MAX, much, 1, 3);
    /* The budget: one chunk, and behind it those that take a microsecond together. */
    expect_run(1, 1, US + 1, 0, much, 1, 3);
    expect_run(2, 1, US, 0, much, 1, 3);
    expect_run(2, 1, US / 2 + 1, 0, much, 1, 3);
    expect_run(3, 1, US / 2, 0, much, 1, 3);
    expect_run(1, 40, 40 * US + 1, 0, much, 1, 3);
    expect_run(2, 40, 40 * US, 0, much, 1, 3);
    expect_run(41, 40, US, 0, much, 1, 3);
    expect_run(21, 40, 2 * US, 0, much, 1, 3);
    expect_run(1, 1, UINT64_C(1) << 60, 0, much, 1, 3);
    /* Costs may grow. */
    expect_run(4, 1, 0, 0, much, 1, 3);
    expect_run(4, 1, US / 4, 0, much, 1, 3);
    expect_run(160, 40, US / 8, 0, much, 1, 3);
    /* Where the addition took long, the budget grows with it, up to a bound. */
    CHECK_EQUAL(US, ghcomp_loop_run_budget(0));
    CHECK_EQUAL(US, ghcomp_loop_run_budget(US / GHCOMP_RUN_WORTH));
    CHECK_EQUAL(2 * US, ghcomp_loop_run_budget(2 * US / GHCOMP_RUN_WORTH));
    CHECK_EQUAL(GHCOMP_RUN_BUDGET * US, ghcomp_loop_run_budget(GHCOMP_RUN_BUDGET * US / GHCOMP_RUN_WORTH));
    CHECK_EQUAL(GHCOMP_RUN_BUDGET * US, ghcomp_loop_run_budget(UINT64_MAX));
    expect_run(3, 1, US, 2 * US / GHCOMP_RUN_WORTH, much, 1, 3);
    expect_run(81, 40, US, 2 * US / GHCOMP_RUN_WORTH, much, 1, 3);
    /* The loop may end. */
    expect_run(4, 1, 0, 0, 4 << 3, 1, 3);
    expect_run(3, 1, 0, 0, (4 << 3) - 1, 1, 3);
    expect_run(1, 1, 0, 0, (2 << 3) - 1, 1, 3);
    expect_run(1, 1, 0, 0, 0, 1, 3);
    expect_run(2, 1, 0, 0, 14 << 3, 7, 3);
    expect_run(1, 1, 0, 0, (14 << 3) - 1, 7, 3);
    expect_run(1, 1, 0, 0, much, much, 3);
    /* A clock that stands still. */
    expect_run(GHCOMP_RUN_MOST, GHCOMP_RUN_MOST, 0, 0, much, 1, 3);
    expect_run(GHCOMP_RUN_MOST, GHCOMP_RUN_MOST / 2, 0, 0, much, 1, 3);
    /* The part of what is left, by the threads that run. */
    CHECK_EQUAL(2, ghcomp_loop_run_part(1));
    CHECK_EQUAL(3, ghcomp_loop_run_part(2));
    CHECK_EQUAL(4, ghcomp_loop_run_part(3));
    CHECK_EQUAL(4, ghcomp_loop_run_part(4));
    CHECK_EQUAL(8, ghcomp_loop_run_part(64));
    CHECK_EQUAL(33, ghcomp_loop_run_part(UINT32_MAX));
}

static uint64_t seed = 1;

static uint64_t any(void)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (seed >> 20) >> (seed >> 59);
}

/* For any facts: at least a chunk, never more than is said, and no fact outlasts the run that it is of. */
static void bounds(void)
{
    for (int i = 0; i < 200000; i++) {
        uint64_t chunks = any() % (GHCOMP_RUN_MOST + 1), left = any() & ((UINT64_C(1) << 40) - 1);
        uint64_t chunk = 1 + (any() & ((UINT64_C(1) << 39) - 1));
        unsigned part = 2 + (unsigned)(any() % 10);
        struct ghcomp_loop_run last = {chunks, any(), any()};
        uint64_t run = ghcomp_loop_run_chunks(last, left, chunk, part);
        CHECK(run >= 1 && run <= GHCOMP_RUN_MOST);
        CHECK(run == 1 || (run <= chunks * GHCOMP_RUN_GROWTH && run * chunk <= left >> part));
        CHECK(run == 1 || (run - 1) * last.ticks <= chunks * GHCOMP_RUN_BUDGET * US);
    }
}

/* --- which loops have runs ---------------------------------------------------------------------------------------- */

static struct ghcomp_loop_range up_to(uint64_t count)
{
    return ghcomp_loop_range_unsigned(true, 0, count, 1);
}

static void expect_way(struct ghcomp_team *team, struct ghcomp_workshare *share, uint64_t count,
                       struct ghcomp_loop_kind kind, int way)
{
    ghcomp_loop_fill(&team->master, share, up_to(count), kind);
    CHECK_EQUAL(way, share->way);
}

static void nothing(void *data)
{
    (void)data;
}

static void ways(void)
{
    struct ghcomp_team *team = ghcomp_team_prepare(8, 0);
    struct ghcomp_workshare *share = ghcomp_workshare_new(&team->master);
    struct ghcomp_loop_kind dynamic = {GHCOMP_SCHED_DYNAMIC, 3, GHCOMP_LOOP_RISING};
    struct ghcomp_loop_kind guided = {GHCOMP_SCHED_GUIDED, 1, GHCOMP_LOOP_RISING};
    struct ghcomp_loop_kind fixed = {GHCOMP_SCHED_STATIC, 1, GHCOMP_LOOP_RISING};
    expect_way(team, share, 3000, dynamic, GHCOMP_LOOP_BY_RUNS);
    expect_way(team, share, 8 * 16 * 3 - 1, dynamic, GHCOMP_LOOP_BY_COUNTER);
    expect_way(team, share, 8 * 16 * 3, dynamic, GHCOMP_LOOP_BY_RUNS);
    expect_way(team, share, 0, dynamic, GHCOMP_LOOP_BY_COUNTER);
    expect_way(team, share, (UINT64_C(1) << 40) - 1, dynamic, GHCOMP_LOOP_BY_RUNS);
    expect_way(team, share, UINT64_C(1) << 40, dynamic, GHCOMP_LOOP_BY_COUNTER);
    expect_way(team, share, UINT64_MAX, dynamic, GHCOMP_LOOP_SLOWLY);
    expect_way(team, share, 3000, guided, GHCOMP_LOOP_SLOWLY);
    expect_way(team, share, 3000, fixed, GHCOMP_LOOP_SLOWLY);
    dynamic.order = GHCOMP_LOOP_SINGLY;
    expect_way(team, share, 3000, dynamic, GHCOMP_LOOP_BY_COUNTER);
    dynamic.order = GHCOMP_LOOP_ORDERED;
    expect_way(team, share, 3000, dynamic, GHCOMP_LOOP_SLOWLY);

    struct ghcomp_icvs icvs = *team->master.task->icv;
    const struct ghcomp_icvs *before = team->master.task->icv;
    team->master.task->icv = &icvs;
    icvs.sched_chunk = 2;
    icvs.sched = GHCOMP_SCHED_DYNAMIC;
    dynamic = (struct ghcomp_loop_kind){GHCOMP_LOOP_RUNTIME, 0, GHCOMP_LOOP_RISING};
    expect_way(team, share, 3000, dynamic, GHCOMP_LOOP_BY_RUNS);
    CHECK_EQUAL(2, share->chunk);
    icvs.sched |= (int)GHCOMP_SCHED_MONOTONIC;
    expect_way(team, share, 3000, dynamic, GHCOMP_LOOP_BY_RUNS);
    team->master.task->icv = before;

    ghcomp_workshare_start_in(team, share);
    ghcomp_team_release(team, nothing, NULL);
    ghcomp_team_join();
}

/* --- each chunk once, in rising order ----------------------------------------------------------------------------- */

struct loop {
    uint64_t count;
    struct ghcomp_loop_kind kind;
    _Atomic uint8_t hits[MOST];
};

struct work {
    int loops;
    uint32_t late;               /* this member begins when all of the first loop is done; MEMBERS: none does */
    uint32_t stays;              /* this member stays in a chunk of that loop until all others are done that are not in
                                    its run; MEMBERS: none does */
    _Atomic uint64_t done;       /* of the first loop; add_release by the member that did them, load_acquire */
    struct loop loop[LOOPS];
};

static void wait_for(struct work *work, uint64_t iterations)
{
    while (ghcomp_load_acquire(&work->done) < iterations)
        sched_yield();
}

static void execute(void *data)
{
    struct work *work = data;
    struct ghcomp_member *self = ghcomp_self();
    if (self->tid == work->late)
        wait_for(work, work->loop[0].count);
    for (int n = 0; n < work->loops; n++) {
        struct loop *loop = &work->loop[n];
        uint64_t last_end = 0;
        bool stayed = false;
        ghcomp_loop_enter(self, up_to(loop->count), loop->kind, NULL);
        while (ghcomp_loop_next(self)) {
            uint64_t begin = self->chunk_begin, length = self->chunk_end - begin;
            CHECK(begin >= last_end && length > 0 && self->chunk_end <= loop->count);
            CHECK(begin % loop->kind.chunk == 0);
            CHECK(length == loop->kind.chunk || (self->chunk_end == loop->count && length < loop->kind.chunk));
            last_end = self->chunk_end;
            for (uint64_t i = begin; i < begin + length; i++)
                CHECK_EQUAL(0, ghcomp_add_relaxed(&loop->hits[i], (uint8_t)1));
            if (n > 0)
                continue;
            if (!stayed && self->tid == work->stays && begin > 0) {
                stayed = true;
                uint64_t held_up = self->run_past - self->run_next;
                CHECK(held_up <= loop->count >> self->share->run_part);
                wait_for(work, loop->count - length - held_up);
            }
            ghcomp_add_release(&work->done, length);
        }
        CHECK(self->chunk_begin == self->chunk_end && self->run_past == 0);
        CHECK(!ghcomp_loop_next(self) && !ghcomp_loop_next(self));
        ghcomp_loop_leave(self);
    }
    ghcomp_barrier_wait(self);
}

static struct work work;

static void run(uint32_t threads)
{
    ghcomp_store_relaxed(&work.done, UINT64_C(0));
    for (int n = 0; n < work.loops; n++)
        memset((void *)work.loop[n].hits, 0, sizeof work.loop[n].hits);
    ghcomp_team_parallel(execute, &work, threads, 0);
    for (int n = 0; n < work.loops; n++)
        for (uint64_t i = 0; i < work.loop[n].count; i++)
            CHECK_EQUAL(1, work.loop[n].hits[i]);
}

/* Loops without a barrier between them, of all lengths, so that members are in different loops. */
static void drifting(void)
{
    work.loops = LOOPS;
    work.late = work.stays = MEMBERS;
    for (uint32_t threads = 2; threads <= MEMBERS; threads++) {
        for (int n = 0; n < LOOPS; n++) {
            work.loop[n].count = n % 4 == 0 ? any() & 255 : any() % MOST;
            work.loop[n].kind = (struct ghcomp_loop_kind){GHCOMP_SCHED_DYNAMIC, 1 + n % 5, GHCOMP_LOOP_RISING};
        }
        run(threads);
    }
}

/* The others do what a member does not that does not come, or is busy. */
static void absent(void)
{
    work.loops = 1;
    for (uint32_t threads = 2; threads <= MEMBERS; threads += threads == 3 ? 5 : 1) {
        work.loop[0].kind = (struct ghcomp_loop_kind){GHCOMP_SCHED_DYNAMIC, 7, GHCOMP_LOOP_RISING};
        work.loop[0].count = MOST - threads;
        for (uint32_t who = 0; who < threads; who += threads - 1) {
            work.late = who;
            work.stays = MEMBERS;
            run(threads);
            work.late = MEMBERS;
            work.stays = who;
            run(threads);
        }
    }
}

/* --- cancellation ------------------------------------------------------------------------------------------------- */

static _Atomic uint32_t taken, cancelled;

/* Member 1 cancels when it has chunks left in its run, which it may never have on a very slow machine. Nobody who has
   seen that gets another chunk. */
static void cancelled_in_a_run(void *data)
{
    (void)data;
    enum { ENOUGH = 100000 };
    int chunks = 0;
    struct ghcomp_member *self = ghcomp_self();
    struct ghcomp_loop_kind kind = {GHCOMP_SCHED_DYNAMIC, 1, GHCOMP_LOOP_RISING};
    ghcomp_loop_enter(self, up_to(UINT64_C(1) << 36), kind, NULL);
    CHECK(self->share->way == GHCOMP_LOOP_BY_RUNS);
    while (ghcomp_loop_next(self)) {
        if (self->tid == 1 && (self->run_next < self->run_past || ++chunks == ENOUGH)) {
            CHECK(ghcomp_cancel(self, GHCOMP_CANCEL_LOOP));
            CHECK(ghcomp_cancellation_point(self, GHCOMP_CANCEL_LOOP));
            ghcomp_store_release(&cancelled, 1u);
            CHECK(!ghcomp_loop_next(self));
            break;
        }
        if (ghcomp_load_acquire(&cancelled) != 0) {
            CHECK(!ghcomp_loop_next(self));
            break;
        }
        ghcomp_add_relaxed(&taken, 1u);
    }
    CHECK(!ghcomp_loop_next(self) && self->run_past == 0);
    ghcomp_loop_leave(self);
    ghcomp_barrier_wait_cancellable(self);
}

static void cancellation(void)
{
    ghcomp_global.cancel = true;
    for (int round = 0; round < 100; round++) {
        ghcomp_store_relaxed(&cancelled, 0u);
        ghcomp_team_parallel(cancelled_in_a_run, NULL, 2 + round % 3, 0);
        CHECK(ghcomp_load_relaxed(&cancelled) == 1);
    }
    CHECK(ghcomp_load_relaxed(&taken) > 0);
    ghcomp_global.cancel = false;
}

int main(void)
{
    table();
    bounds();
    ghcomp_global.initial.max_active_levels = 1;
    ways();
    drifting();
    absent();
    cancellation();
    return 0;
}
