/* The plan of a wait (core/cpu/wait_plan.c): each rule of the table, at its limit and on both sides of it, for each
   kind of wait; which rule wins where facts of several hold; and that every wait ends in a sleep. */
#include "unit.h"

#include "core/cpu/wait_plan.h"

#define FACT(name) GHCOMP_FACT_##name
#define KIND(name) (1u << GHCOMP_WAIT_##name)

enum { US = 1000, ALL = (1 << GHCOMP_WAIT_KINDS) - 1, FACTS = 1 << 16 };
enum { MEMBERS = KIND(TEAM) | KIND(BARRIER), HANDS_OVER = KIND(TURN) | KIND(SINK) | KIND(POST) };
static const struct ghcomp_wait_limits usual = {2000 * US, 200 * US}, passive = {0, 0}, active = {UINT64_MAX, 200 * US};

/* What a rule comes to, for waits of these kinds: until `limit` the thread does that (after `spins` of spinning), and
   from then on it sleeps. */
static void expect(uint32_t facts, uint32_t kinds, const struct ghcomp_wait_limits *limits, uint64_t spins,
                   enum ghcomp_wait_action then, uint64_t limit)
{
    for (int kind = 0; kind < GHCOMP_WAIT_KINDS; kind++) {
        if (!(kinds & 1u << kind))
            continue;
        const uint64_t at[] = {0, 1, spins - 1, spins, spins + 1, limit / 2, limit - 1, limit, limit + 1, UINT64_MAX};
        for (unsigned i = 0; i < sizeof at / sizeof *at; i++) {
            struct ghcomp_wait_step step = ghcomp_wait_plan(kind, facts, limits, at[i]);
            CHECK(step.from <= at[i] && (at[i] < step.until || step.until == UINT64_MAX));
            CHECK_EQUAL(step.action, ghcomp_wait_plan(kind, facts, limits, step.from).action);
            CHECK(step.from == 0 || step.action != ghcomp_wait_plan(kind, facts, limits, step.from - 1).action);
            bool naps = kind == GHCOMP_WAIT_POST;
            if (at[i] >= limit) {
                CHECK_EQUAL(naps ? GHCOMP_ACT_NAP : GHCOMP_ACT_PARK, step.action);
            } else if (at[i] < spins) {
                CHECK_EQUAL(GHCOMP_ACT_SPIN, step.action);
                CHECK_EQUAL(spins < limit ? spins : limit, step.until);
            } else {
                CHECK_EQUAL(then, step.action);
                CHECK_EQUAL(limit, step.until);
            }
        }
    }
}

static void sleeps_at_once(uint32_t facts, uint32_t kinds)
{
    expect(facts, kinds, &usual, UINT64_MAX, GHCOMP_ACT_SPIN, 0);
    expect(facts, kinds, &active, UINT64_MAX, GHCOMP_ACT_SPIN, 0);
}

static void spins(uint32_t facts, uint32_t kinds, uint64_t limit)
{
    expect(facts, kinds, &usual, UINT64_MAX, GHCOMP_ACT_SPIN, limit);
}

static void expect_yields(uint32_t facts, uint32_t kinds, enum ghcomp_wait_action how, uint64_t limit)
{
    expect(facts, kinds, &usual, 0, how, limit);
}

static void on_free_cpus(void)
{
    expect(0, ALL, &usual, GHCOMP_PLAN_POLITE_NS, GHCOMP_ACT_YIELD, usual.free);
    expect(0, ALL, &passive, GHCOMP_PLAN_POLITE_NS, GHCOMP_ACT_YIELD, 0);
    expect(0, ALL, &(struct ghcomp_wait_limits){GHCOMP_PLAN_POLITE_NS / 2, 0}, GHCOMP_PLAN_POLITE_NS, GHCOMP_ACT_YIELD,
           GHCOMP_PLAN_POLITE_NS / 2);
    expect_yields(FACT(POLITE), ALL, GHCOMP_ACT_YIELD, usual.free);
    expect_yields(FACT(CPU_SHARED), ALL, GHCOMP_ACT_YIELD, usual.free);
    /* The user wants no end, and threads have a CPU each. */
    for (uint64_t waited = 0; waited < UINT64_MAX / 4; waited = 3 * waited + 1)
        CHECK(ghcomp_wait_plan(GHCOMP_WAIT_TEAM, 0, &active, waited).action <= GHCOMP_ACT_YIELD);
}

static void when_oversubscribed(void)
{
    expect_yields(FACT(OVERSUBSCRIBED), ALL, GHCOMP_ACT_HAND_OVER, usual.oversubscribed);
    expect_yields(FACT(OVERSUBSCRIBED) | FACT(UNRIPE), MEMBERS, GHCOMP_ACT_HAND_OVER, GHCOMP_PLAN_UNRIPE_NS);
    expect_yields(FACT(OVERSUBSCRIBED) | FACT(UNRIPE), ALL & ~MEMBERS, GHCOMP_ACT_HAND_OVER, usual.oversubscribed);
    expect_yields(FACT(OVERSUBSCRIBED) | FACT(RETRY), HANDS_OVER, GHCOMP_ACT_HAND_OVER, GHCOMP_PLAN_RETRY_NS);
    expect_yields(FACT(OVERSUBSCRIBED) | FACT(RETRY), ALL & ~HANDS_OVER, GHCOMP_ACT_HAND_OVER, usual.oversubscribed);
    /* Most of the team sleeps, so the CPUs are free. */
    expect(FACT(RETRY), HANDS_OVER, &usual, GHCOMP_PLAN_POLITE_NS, GHCOMP_ACT_YIELD, GHCOMP_PLAN_RETRY_NS);
    expect(FACT(OVERSUBSCRIBED) | FACT(UNRIPE), ALL, &passive, 0, GHCOMP_ACT_HAND_OVER, 0);
    expect(FACT(OVERSUBSCRIBED), ALL, &active, 0, GHCOMP_ACT_HAND_OVER, active.oversubscribed);
    for (int kind = 0; kind < GHCOMP_WAIT_KINDS; kind++) {
        struct ghcomp_wait_step step = ghcomp_wait_plan(kind, FACT(OVERSUBSCRIBED), &usual, 0);
        CHECK_EQUAL(HANDS_OVER & 1u << kind ? 0 : GHCOMP_PLAN_YIELDS, step.yields);
        CHECK_EQUAL(0, ghcomp_wait_plan(kind, FACT(POLITE), &usual, 0).yields);
    }
}

static void beside_neighbours(void)
{
    uint32_t beside = FACT(NEIGHBOURS), here = beside | FACT(NEIGHBOUR_HERE);
    spins(here, ALL, GHCOMP_PLAN_HERE_NS);
    spins(beside, ALL & ~KIND(LOCK), GHCOMP_PLAN_OTHER_NS);
    spins(beside, KIND(LOCK), GHCOMP_PLAN_HERE_NS);
    spins(beside | FACT(CROWD), ALL, GHCOMP_PLAN_HERE_NS);
    spins(here | FACT(NEW), ALL, GHCOMP_PLAN_NEW_NS);
    spins(beside | FACT(FREE_WORKER), KIND(MAIL), GHCOMP_PLAN_NEW_NS);
    spins(beside | FACT(FREE_WORKER), ALL & ~KIND(LOCK) & ~KIND(MAIL), GHCOMP_PLAN_OTHER_NS);
    spins(beside | FACT(POLITE), KIND(TEAM), GHCOMP_PLAN_OTHER_NS); /* no thread yields to them, ... */
    expect_yields(here | FACT(CPU_SHARED), ALL, GHCOMP_ACT_YIELD, GHCOMP_PLAN_HERE_NS); /* ... but to threads of ours */
    expect_yields(beside | FACT(CPU_SHARED), KIND(TEAM), GHCOMP_ACT_YIELD, GHCOMP_PLAN_OTHER_NS);
    expect_yields(here | FACT(CPU_SHARED) | FACT(NEW), ALL, GHCOMP_ACT_YIELD, GHCOMP_PLAN_NEW_NS);
    sleeps_at_once(beside | FACT(LARGE_TEAM) | FACT(NEW), ALL);
    sleeps_at_once(beside | FACT(OVERSUBSCRIBED) | FACT(CPU_SHARED), ALL);
}

static void beside_haskell(void)
{
    uint32_t contended = FACT(CONTENDED), again = KIND(BARRIER) | HANDS_OVER;
    spins(contended, ALL, GHCOMP_PLAN_CONTENDED_NS);
    spins(contended | FACT(EVERYWHERE) | FACT(OVERSUBSCRIBED), ALL, GHCOMP_PLAN_CONTENDED_NS);
    spins(contended | FACT(COLLECTING), ALL, GHCOMP_PLAN_COLLECTING_NS);
    expect(contended, ALL, &passive, UINT64_MAX, GHCOMP_ACT_SPIN, 0);
    expect_yields(contended | FACT(SHARES), again, GHCOMP_ACT_HAND_OVER, usual.oversubscribed);
    sleeps_at_once(contended | FACT(SHARES), ALL & ~again);
    sleeps_at_once(contended | FACT(SHARES) | FACT(EVERYWHERE), ALL);
    sleeps_at_once(contended | FACT(SHARES) | FACT(LARGE_TEAM), ALL);
    sleeps_at_once(contended | FACT(LARGE_TEAM) | FACT(COLLECTING), ALL);
    /* Neighbours, polite waits and shared CPUs change nothing of it. */
    spins(contended | FACT(NEIGHBOURS) | FACT(POLITE) | FACT(CPU_SHARED), ALL, GHCOMP_PLAN_CONTENDED_NS);
}

/* Whatever the facts are, a wait sleeps at once where yields cost slices, and after 6 ms at most in any case; and what
   the plan says at one time holds until the time that it names. */
static void whatever_the_facts_are(void)
{
    for (uint32_t facts = 0; facts < FACTS; facts++)
        for (int kind = 0; kind < GHCOMP_WAIT_KINDS; kind++) {
            struct ghcomp_wait_step last = ghcomp_wait_plan(kind, facts, &usual, GHCOMP_PLAN_OTHER_NS);
            CHECK(last.action == GHCOMP_ACT_PARK || last.action == GHCOMP_ACT_NAP);
            CHECK(kind == GHCOMP_WAIT_POST ? last.action == GHCOMP_ACT_NAP : true);
            struct ghcomp_wait_step first = ghcomp_wait_plan(kind, facts, &usual, 0);
            if (facts & FACT(YIELDS_COST))
                CHECK_EQUAL(last.action, first.action);
            if (first.action < GHCOMP_ACT_PARK) {
                CHECK_EQUAL(first.action, ghcomp_wait_plan(kind, facts, &usual, first.until - 1).action);
                CHECK(first.action != ghcomp_wait_plan(kind, facts, &usual, first.until).action);
            }
            struct ghcomp_wait_step throttled =
                ghcomp_wait_plan(kind, facts | FACT(OVERSUBSCRIBED), &active, 6000 * US);
            CHECK(throttled.action >= GHCOMP_ACT_PARK);
        }
}

static void naps_grow(void)
{
    CHECK_EQUAL(GHCOMP_PLAN_NAP_NS, ghcomp_wait_nap(0));
    CHECK_EQUAL(2 * GHCOMP_PLAN_NAP_NS, ghcomp_wait_nap(1));
    CHECK_EQUAL(ghcomp_wait_nap(GHCOMP_PLAN_NAPS_TO_LONGEST), ghcomp_wait_nap(255));
    CHECK(ghcomp_wait_nap(255) < 2000 * US);
}

int main(void)
{
    on_free_cpus();
    when_oversubscribed();
    beside_neighbours();
    beside_haskell();
    whatever_the_facts_are();
    naps_grow();
    return 0;
}
