/* Worksharing loops from inside: ranges and their counts at the ends of the types, chunk sizes that could wrap around,
   exactly-once execution under every schedule and team size, ordered turns. Runs under ASan+UBSan and TSan. */
#include "unit.h"

#include <limits.h>
#include <string.h>

#include "core/sync/barrier.h"
#include "core/worksharing/loop.h"
#include "core/worksharing/ordered.h"
#include "core/team/team.h"

enum { MOST = 400 };

struct work {
    struct ghcomp_loop_range range;
    struct ghcomp_loop_kind kind;
    bool region_starts_in_it;
    uint64_t count;
    _Atomic int hits[MOST];
    uint64_t in_order; /* written in ordered regions only */
    _Atomic uint64_t chunks, covered;
};

static void execute(void *data)
{
    struct work *work = data;
    struct ghcomp_member *self = ghcomp_self();
    if (!work->region_starts_in_it)
        ghcomp_loop_enter(self, work->range, work->kind, NULL);
    uint64_t last_end = 0;
    while (ghcomp_loop_next(self)) {
        CHECK(self->chunk_begin < self->chunk_end && self->chunk_end <= work->count);
        CHECK(self->chunk_begin >= last_end); /* rising */
        last_end = self->chunk_end;
        ghcomp_add_relaxed(&work->chunks, 1u);
        ghcomp_add_relaxed(&work->covered, self->chunk_end - self->chunk_begin);
        if (work->count > MOST)
            continue;
        for (uint64_t i = self->chunk_begin; i < self->chunk_end; i++) {
            ghcomp_add_relaxed(&work->hits[i], 1);
            if (work->kind.order == GHCOMP_LOOP_ORDERED && i % 3 != 2) {
                ghcomp_ordered_wait(self);
                CHECK(work->in_order <= i);
                work->in_order = i + 1;
            }
        }
    }
    CHECK(self->chunk_begin == self->chunk_end);
    CHECK(!ghcomp_loop_next(self));
    ghcomp_loop_leave(self);
}

static void loop(uint32_t threads, struct ghcomp_loop_range range, struct ghcomp_loop_kind kind, uint64_t count)
{
    struct work work;
    for (int combined = 0; combined < 2; combined++) {
        memset(&work, 0, sizeof work);
        work.range = range;
        work.kind = kind;
        work.count = count;
        work.region_starts_in_it = combined;
        struct ghcomp_team *team = ghcomp_team_prepare(threads, 0);
        CHECK_EQUAL(threads, team->size);
        if (combined) {
            struct ghcomp_workshare *share = ghcomp_workshare_new(&team->master);
            ghcomp_loop_fill(&team->master, share, range, kind);
            CHECK_EQUAL(count, share->count);
            ghcomp_workshare_start_in(team, share);
        }
        ghcomp_team_release(team, execute, &work);
        execute(&work);
        ghcomp_team_join();
        CHECK(work.covered == count);
        if (count > 0)
            CHECK(work.chunks > 0);
        for (uint64_t i = 0; i < count && count <= MOST; i++)
            CHECK_EQUAL(1, work.hits[i]);
    }
}

static void schedules(void)
{
    static const uint64_t counts[] = {0, 1, 2, 8, 9, 100, 399}, chunks[] = {0, 1, 3, 64, 1000, UINT64_MAX};
    for (uint32_t threads = 1; threads <= 9; threads++)
        for (int sched = GHCOMP_LOOP_RUNTIME; sched <= GHCOMP_SCHED_AUTO; sched++)
            for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
                for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++)
                    if ((n + c + threads) % 3 == 0) {
                        struct ghcomp_loop_range range = ghcomp_loop_range_unsigned(true, 5, 5 + counts[n], 1);
                        loop(threads, range, (struct ghcomp_loop_kind){sched, chunks[c], (int)(c + 2 * n) % 3},
                             counts[n]);
                    }
}

static void counts_of_ranges(void)
{
    struct ghcomp_loop_kind whole = {GHCOMP_SCHED_STATIC, 0, GHCOMP_LOOP_RISING};
    struct ghcomp_loop_kind huge = {GHCOMP_SCHED_DYNAMIC, 1ull << 62, GHCOMP_LOOP_RISING};
    struct ghcomp_loop_kind guided = {GHCOMP_SCHED_GUIDED, 1ull << 60, GHCOMP_LOOP_RISING};
    for (uint32_t threads = 1; threads <= 9; threads += 4) {
        for (int i = 0; i < 3; i++) {
            struct ghcomp_loop_kind kind = i == 0 ? whole : i == 1 ? huge : guided;
            loop(threads, ghcomp_loop_range_signed(LONG_MIN, LONG_MAX, 1), kind, UINT64_MAX);
            loop(threads, ghcomp_loop_range_signed(LONG_MAX, LONG_MIN, -1), kind, UINT64_MAX);
            loop(threads, ghcomp_loop_range_unsigned(true, 0, ULLONG_MAX, 1), kind, UINT64_MAX);
            loop(threads, ghcomp_loop_range_unsigned(false, ULLONG_MAX, 0, -1ull), kind, UINT64_MAX);
            loop(threads, ghcomp_loop_range_signed(LONG_MIN, LONG_MAX, LONG_MAX), kind, 3);
            loop(threads, ghcomp_loop_range_signed(LONG_MAX, LONG_MIN, LONG_MIN), kind, 2);
            loop(threads, ghcomp_loop_range_unsigned(true, 0, ULLONG_MAX, ULLONG_MAX), kind, 1);
            loop(threads, ghcomp_loop_range_signed(-3, 4, 2), kind, 4);
            loop(threads, ghcomp_loop_range_signed(4, -3, -3), kind, 3);
            loop(threads, ghcomp_loop_range_signed(4, 4, 1), kind, 0);
            loop(threads, ghcomp_loop_range_signed(4, -3, 1), kind, 0);
            loop(threads, ghcomp_loop_range_signed(-3, 4, -1), kind, 0);
            loop(threads, ghcomp_loop_range_unsigned(false, 3, 4, -1ull), kind, 0);
        }
    }
}

static void values(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    struct ghcomp_loop_kind kind = {GHCOMP_SCHED_DYNAMIC, 1, GHCOMP_LOOP_RISING};
    ghcomp_loop_enter(self, ghcomp_loop_range_signed(LONG_MAX - 5, LONG_MAX, 4), kind, NULL);
    while (ghcomp_loop_next(self)) {
        long begin = (long)ghcomp_loop_first(self), end = (long)ghcomp_loop_past(self);
        CHECK(begin == LONG_MAX - 5 || begin == LONG_MAX - 1);
        CHECK(begin < end);
    }
}

static void plain_and_careful(void)
{
    struct ghcomp_team *team = ghcomp_team_prepare(4, 0);
    struct ghcomp_workshare *share = ghcomp_workshare_new(&team->master);
    struct ghcomp_loop_kind kind = {GHCOMP_SCHED_DYNAMIC, 1, GHCOMP_LOOP_RISING};
    ghcomp_loop_fill(&team->master, share, ghcomp_loop_range_unsigned(true, 0, ULLONG_MAX - 4, 1), kind);
    CHECK(!share->careful && share->way == GHCOMP_LOOP_BY_COUNTER);
    ghcomp_loop_fill(&team->master, share, ghcomp_loop_range_unsigned(true, 0, ULLONG_MAX - 3, 1), kind);
    CHECK(share->careful && share->way == GHCOMP_LOOP_SLOWLY);
    kind.order = GHCOMP_LOOP_ORDERED;
    ghcomp_loop_fill(&team->master, share, ghcomp_loop_range_unsigned(true, 0, 10, 1), kind);
    CHECK(!share->careful && share->way == GHCOMP_LOOP_SLOWLY && share->ordered);
    ghcomp_workshare_start_in(team, share);
    ghcomp_team_release(team, values, NULL);
    values(NULL);
    ghcomp_team_join();
}

/* A guided chunk has what is left divided by the team's size, rounded up, but at least the clause's chunk. */
static void guided_sizes(void)
{
    struct ghcomp_workshare share = {.count = 100, .chunk = 7};
    CHECK_EQUAL(25, ghcomp_loop_guided_end(&share, 4, 0));
    CHECK_EQUAL(44, ghcomp_loop_guided_end(&share, 4, 25));
    CHECK_EQUAL(34, ghcomp_loop_guided_end(&share, 3, 0));
    CHECK_EQUAL(87, ghcomp_loop_guided_end(&share, 4, 80));
    CHECK_EQUAL(100, ghcomp_loop_guided_end(&share, 4, 95));
    CHECK_EQUAL(100, ghcomp_loop_guided_end(&share, 1, 3));
    share.count = UINT64_MAX;
    CHECK(ghcomp_loop_guided_end(&share, 2, 0) == UINT64_MAX / 2 + 1);
    CHECK(ghcomp_loop_guided_end(&share, 2, UINT64_MAX - 1) == UINT64_MAX);
}

int main(void)
{
    guided_sizes();
    ghcomp_global.initial.max_active_levels = 1;
    schedules();
    counts_of_ranges();
    ghcomp_team_parallel(values, NULL, 1, 0);
    ghcomp_team_parallel(values, NULL, 3, 0);
    plain_and_careful();
    return 0;
}
