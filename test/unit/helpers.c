/* cbits/haskell/helpers.c, with the test's own clock and Capabilities: the results of successive checks. */
#include "unit.h"

#include "base/atomic.h"
#include "haskell/capability_claim.h"
#include "host/capabilities.h"

static uint64_t clock_now;

static uint64_t ticks(void)
{
    return clock_now;
}

/* The source itself, with that clock. */
#define ghcomp_cpu_ticks ticks
#include "haskell/helpers.c"
#undef ghcomp_cpu_ticks

enum { A_LOOK = 1000 };
static bool idle, collecting;
static uint64_t idle_from; /* not 0: idle from this time on */
static int looks;

bool ghcomp_capability_idle(void)
{
    looks++;
    clock_now += A_LOOK;
    return idle || (idle_from != 0 && clock_now >= idle_from);
}

static uint32_t busy = 1;

/* In place of the library's, by the linker's --wrap. */
uint32_t __wrap_ghcomp_capabilities_busy(void);
uint32_t __wrap_ghcomp_capabilities_busy(void)
{
    return busy;
}

bool __wrap_ghcomp_capabilities_collecting(void);
bool __wrap_ghcomp_capabilities_collecting(void)
{
    return collecting;
}

static void begin(bool first)
{
    clock_now += 10 * (uint64_t)REMEMBERED;
    idle = first;
    idle_from = 0;
    collecting = false;
    looks = 0;
}

/* One look, and how many times it asked for an idle Capability. */
static bool look(int expected_looks)
{
    looks = 0;
    bool none = ghcomp_helpers_none();
    CHECK(expected_looks < 0 || looks == expected_looks);
    return none;
}

static void helper_at_once(void)
{
    begin(true);
    CHECK(!look(1));
    CHECK(!look(1));
}

/* Busy for a moment: a caller that polls finds it idle. It is not remembered as busy. */
static void an_instant(void)
{
    begin(false);
    idle_from = clock_now + PATIENCE / 2;
    CHECK(!look(-1));
    CHECK(looks > 2 && clock_now < idle_from + 2 * A_LOOK);
    CHECK(!look(1));
}

static void patience_ends(void)
{
    begin(false);
    uint64_t before = clock_now;
    CHECK(look(-1));
    CHECK(looks > 10 && clock_now - before >= PATIENCE && clock_now - before < PATIENCE + 3 * A_LOOK);
    /* The following looks ask once, as long as each comes soon after the one before. */
    for (int i = 0; i < 100; i++) {
        clock_now += REMEMBERED / 2;
        CHECK(look(1));
    }
    clock_now += 2 * REMEMBERED;
    CHECK(look(-1));
    CHECK(looks > 10);
}

static void a_collection_is_not_delayed(void)
{
    begin(false);
    collecting = true;
    CHECK(look(1));
}

/* The change from busy to idle takes two looks that are CONFIRMED apart. */
static void idle_is_confirmed(void)
{
    begin(false);
    CHECK(look(-1));
    idle = true;
    CHECK(look(1));
    clock_now += CONFIRMED / 2;
    CHECK(look(1));
    clock_now += CONFIRMED / 2;
    CHECK(!look(1));
    CHECK(!look(1));
    /* Busy in between: confirmation starts again. */
    idle = false;
    CHECK(look(1));
    idle = true;
    clock_now += CONFIRMED;
    CHECK(look(1));
    idle = false;
    CHECK(look(1));
    idle = true;
    clock_now += CONFIRMED;
    CHECK(look(1));
    clock_now += CONFIRMED;
    CHECK(!look(1));
}

/* When the last look was long ago, one look is enough. */
static void forgotten(void)
{
    begin(false);
    CHECK(look(-1));
    idle = true;
    clock_now += REMEMBERED;
    CHECK(!look(1));
}

/* A loop that runs in its caller looks at intervals; sooner when it has something to confirm. */
static void a_loop_looks_at_intervals(void)
{
    begin(false);
    CHECK(look(-1));
    uint64_t looked = ghcomp_hs_ticks(), next;
    looks = 0;
    for (uint64_t t = 0; t + 1 < LOOK_EVERY; t += LOOK_EVERY / 10) {
        CHECK(ghcomp_hs_helpers_poll(looked) == looked);
        clock_now += LOOK_EVERY / 10;
    }
    CHECK_EQUAL(0, looks);
    next = ghcomp_hs_helpers_poll(looked);
    CHECK_EQUAL(1, looks);
    CHECK(next != 0 && next != looked && clock_now - next < 2 * A_LOOK);

    idle = true;
    clock_now += LOOK_EVERY;
    looked = ghcomp_hs_helpers_poll(next);
    CHECK_EQUAL(2, looks);
    CHECK(looked != 0 && ghcomp_hs_helpers_poll(looked) == looked);
    clock_now += CONFIRMED;
    CHECK_EQUAL(0, ghcomp_hs_helpers_poll(looked));
}

/* The clock is behind the one that was read before. */
static void a_clock_behind(void)
{
    begin(true);
    CHECK(!look(1));
    uint64_t looked = clock_now;
    clock_now -= LOOK_EVERY / 2;
    looks = 0;
    CHECK_EQUAL(0, ghcomp_hs_helpers_poll(looked));
    CHECK_EQUAL(1, looks);
}

static bool worth(uint64_t looked, uint64_t done, uint64_t left)
{
    uint64_t now = ghcomp_hs_worth_region(looked, done, left);
    CHECK(now == 0 || now == clock_now);
    return now == 0;
}

/* A loop that its caller has begun: the rest is worth a region when it would take longer than one costs. */
static void worth_a_region(void)
{
    uint64_t begun = clock_now;
    CHECK(!worth(begun, 1, 1));
    clock_now += WORTH_REGION / 10;
    CHECK(!worth(begun, 1, 10));
    CHECK(worth(begun, 1, 11));
    CHECK(!worth(begun, 100, 1000));
    CHECK(worth(begun, 100, 1001));
    /* As many iterations as there are. */
    CHECK(worth(begun, 1, UINT64_MAX - 1));
    CHECK(!worth(begun, UINT64_MAX - 1, 1));
    /* The first moments are not judged. */
    begun = clock_now;
    clock_now += JUDGED_FROM - 1;
    CHECK(!worth(begun, 1, 1000000));
    clock_now++;
    CHECK(worth(begun, 1, 1000000));
}

/* An idle Capability does not help when as many are busy as there are CPUs; on one CPU two may take turns. */
static void no_cpu(void)
{
    for (uint32_t cpus = 1; cpus <= 4; cpus++) {
        ghcomp_global.num_cpus = cpus;
        for (busy = 1; busy <= 5; busy++) {
            begin(true);
            CHECK(look(-1) == (busy >= (cpus < 2 ? 2 : cpus)));
        }
    }
    busy = 1;
}

int main(void)
{
    no_cpu();
    ghcomp_global.num_cpus = 2;
    helper_at_once();
    an_instant();
    patience_ends();
    a_collection_is_not_delayed();
    idle_is_confirmed();
    forgotten();
    a_loop_looks_at_intervals();
    a_clock_behind();
    worth_a_region();
    return 0;
}
