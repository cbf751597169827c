/* Loops in parts from inside: which loops have parts; whole chunks at their places, each once; a member that comes late
   or stays in its first chunk; the last chunk; cancellation. Runs under ASan+UBSan and TSan. */
#include "unit.h"

#include <sched.h>
#include <string.h>

#include "core/sync/barrier.h"
#include "core/team/cancel.h"
#include "core/worksharing/loop.h"
#include "core/team/team.h"
#include "core/cpu/wait.h"

enum { MOST = 6000, LOOPS = 40, MEMBERS = 9 };

static struct ghcomp_loop_range up_to(uint64_t count)
{
    return ghcomp_loop_range_unsigned(true, 0, count, 1);
}

static struct ghcomp_loop_kind any_order(int sched, uint64_t chunk)
{
    return (struct ghcomp_loop_kind){sched, chunk, GHCOMP_LOOP_NONMONOTONIC};
}

/* --- which loops have parts --------------------------------------------------------------------------------------- */

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
    struct ghcomp_loop_kind dynamic = any_order(GHCOMP_SCHED_DYNAMIC, 3), guided = any_order(GHCOMP_SCHED_GUIDED, 1);
    expect_way(team, share, 3000, dynamic, GHCOMP_LOOP_IN_PARTS);
    expect_way(team, share, 8 * 16 * 3, dynamic, GHCOMP_LOOP_BY_COUNTER);
    expect_way(team, share, 8 * 16 * 3 + 1, dynamic, GHCOMP_LOOP_IN_PARTS);
    expect_way(team, share, 0, dynamic, GHCOMP_LOOP_BY_COUNTER);
    expect_way(team, share, 3 * (INT32_MAX + 1ull), dynamic, GHCOMP_LOOP_IN_PARTS);
    expect_way(team, share, 3 * (INT32_MAX + 1ull) + 1, dynamic, GHCOMP_LOOP_BY_COUNTER);
    expect_way(team, share, UINT64_MAX, any_order(GHCOMP_SCHED_DYNAMIC, UINT64_MAX / 1000), GHCOMP_LOOP_IN_PARTS);
    expect_way(team, share, 3000, guided, GHCOMP_LOOP_IN_PARTS);
    expect_way(team, share, 3000, any_order(GHCOMP_SCHED_STATIC, 1), GHCOMP_LOOP_SLOWLY);
    dynamic.order = GHCOMP_LOOP_MONOTONIC;
    expect_way(team, share, 3000, dynamic, GHCOMP_LOOP_BY_COUNTER);
    dynamic.order = GHCOMP_LOOP_ORDERED;
    expect_way(team, share, 3000, dynamic, GHCOMP_LOOP_SLOWLY);

    struct ghcomp_icvs icvs = *team->master.task->icv;
    const struct ghcomp_icvs *before = team->master.task->icv;
    team->master.task->icv = &icvs;
    icvs.sched_chunk = 2;
    icvs.sched = GHCOMP_SCHED_DYNAMIC;
    expect_way(team, share, 3000, any_order(GHCOMP_LOOP_RUNTIME, 0), GHCOMP_LOOP_IN_PARTS);
    CHECK_EQUAL(2, share->chunk);
    dynamic = (struct ghcomp_loop_kind){GHCOMP_LOOP_RUNTIME, 0, GHCOMP_LOOP_MONOTONIC};
    expect_way(team, share, 3000, dynamic, GHCOMP_LOOP_BY_COUNTER);
    icvs.sched |= (int)GHCOMP_SCHED_MONOTONIC;
    expect_way(team, share, 3000, any_order(GHCOMP_LOOP_RUNTIME, 0), GHCOMP_LOOP_BY_COUNTER);
    team->master.task->icv = before;

    ghcomp_workshare_start_in(team, share);
    ghcomp_team_release(team, nothing, NULL);
    ghcomp_team_join();

    for (uint32_t threads = 7; threads <= 9; threads += 2) {
        team = ghcomp_team_prepare(threads, 0);
        share = ghcomp_workshare_new(&team->master);
        expect_way(team, share, 3000, guided, GHCOMP_LOOP_SLOWLY);
        ghcomp_workshare_start_in(team, share);
        ghcomp_team_release(team, nothing, NULL);
        ghcomp_team_join();
    }
}

/* --- each chunk once, whichever member takes it ------------------------------------------------------------------- */

struct loop {
    uint64_t count;
    struct ghcomp_loop_kind kind;
    _Atomic uint8_t hits[MOST];
};

struct work {
    int loops;
    uint32_t late;               /* this member begins when all of the first loop is done; MEMBERS: none does */
    uint32_t stays;              /* this member stays as long in its first chunk of that loop; MEMBERS: none does */
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
        bool first = true, end_seen = false;
        ghcomp_loop_enter(self, up_to(loop->count), loop->kind, NULL);
        while (ghcomp_loop_next(self)) {
            uint64_t begin = self->chunk_begin, length = self->chunk_end - begin;
            CHECK(!end_seen && begin < self->chunk_end && self->chunk_end <= loop->count);
            end_seen = self->chunk_end == loop->count;
            if (self->share->way == GHCOMP_LOOP_IN_PARTS) {
                CHECK_EQUAL(0, begin % loop->kind.chunk);
                CHECK(end_seen ? length <= loop->kind.chunk : length % loop->kind.chunk == 0);
                if (loop->kind.sched == GHCOMP_SCHED_DYNAMIC && !end_seen)
                    CHECK_EQUAL(loop->kind.chunk, length);
            }
            for (uint64_t i = begin; i < begin + length; i++)
                CHECK_EQUAL(0, ghcomp_add_relaxed(&loop->hits[i], (uint8_t)1));
            if (n > 0)
                continue;
            if (first && self->tid == work->stays)
                wait_for(work, loop->count - length);
            first = false;
            ghcomp_add_release(&work->done, length);
        }
        CHECK(self->chunk_begin == self->chunk_end);
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
    uint32_t seed = 1;
    for (uint32_t threads = 2; threads <= MEMBERS; threads++) {
        for (int n = 0; n < LOOPS; n++) {
            seed = seed * 1664525 + 1013904223;
            work.loop[n].count = n % 4 == 0 ? seed >> 16 & 255 : (seed >> 16) % MOST;
            work.loop[n].kind = any_order(n % 3 == 2 ? GHCOMP_SCHED_GUIDED : GHCOMP_SCHED_DYNAMIC, 1 + n % 5);
        }
        run(threads);
    }
}

/* The others do the part of a member that does not come, or is busy. */
static void absent(void)
{
    work.loops = 1;
    for (uint32_t threads = 2; threads <= MEMBERS; threads += threads == 3 ? 5 : 1) {
        for (int sched = GHCOMP_SCHED_DYNAMIC; sched <= GHCOMP_SCHED_GUIDED; sched++) {
            work.loop[0].kind = any_order(sched, 7);
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
}

/* --- cancellation ------------------------------------------------------------------------------------------------- */

static _Atomic uint32_t taken, cancelled;

/* Member 1 cancels in its first chunk; the others stay in theirs until then, and get no other chunk. */
static void cancelled_early(void *data)
{
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_loop_enter(self, up_to(2000000000), *(struct ghcomp_loop_kind *)data, NULL);
    CHECK(self->share->way == GHCOMP_LOOP_IN_PARTS);
    while (ghcomp_loop_next(self)) {
        ghcomp_add_relaxed(&taken, 1u);
        if (self->tid == 1) {
            CHECK(ghcomp_cancel(self, GHCOMP_CANCEL_LOOP));
            CHECK(ghcomp_cancel_seen(self, GHCOMP_CANCEL_LOOP));
            ghcomp_store_release(&cancelled, 1u);
        }
        while (ghcomp_load_acquire(&cancelled) == 0)
            sched_yield();
    }
    CHECK(!ghcomp_loop_next(self));
    ghcomp_loop_leave(self);
    ghcomp_barrier_wait_cancellable(self);
}

static void cancellation(void)
{
    ghcomp_global.cancel = true;
    for (int round = 0; round < 100; round++) {
        struct ghcomp_loop_kind kind = any_order(round % 2 ? GHCOMP_SCHED_GUIDED : GHCOMP_SCHED_DYNAMIC, 1);
        ghcomp_store_relaxed(&taken, 0u);
        ghcomp_store_relaxed(&cancelled, 0u);
        ghcomp_team_parallel(cancelled_early, &kind, 8, 0);
        CHECK(ghcomp_load_relaxed(&taken) >= 1 && ghcomp_load_relaxed(&taken) <= 8);
    }
    ghcomp_global.cancel = false;
}

int main(void)
{
    ghcomp_global.initial.max_active_levels = 1;
    ghcomp_wait.cpus = 8; /* so that guided loops have parts in teams of 8 */
    ways();
    drifting();
    absent();
    cancellation();
    return 0;
}
