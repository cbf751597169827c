/* core/cpu/yield_to_haskell.c, with the test's own clock, host and Capabilities: which threads yield their CPU to
   Haskell, when, and for how long. */
#include <string.h>

#include "unit.h"

#include "core/cpu/cpu_account.h"
#include "core/state/settings.h"
#include "core/trace/trace.h"
#include "core/cpu/wait.h"
#include "host/host.h"
#include "host/os.h"

enum { TICKS_PER_US = GHCOMP_TICKS_PER_US, CPUS = 2 };

static uint64_t now_ns;
static uint32_t capabilities_there = 2;
static uint64_t collecting_until; /* ns */
static int naps_taken, yields_made, looks;
static uint64_t looked_at; /* ticks */

static uint64_t fake_ticks(void)
{
    return now_ns * TICKS_PER_US / 1000;
}

static uint64_t fake_now(void)
{
    return now_ns;
}

static void fake_nap(uint32_t nanoseconds)
{
    const uint32_t slack_ns = 50000;
    naps_taken++;
    now_ns += nanoseconds + slack_ns;
}

static void fake_yield(void)
{
    yields_made++;
}

static bool fake_collecting(void)
{
    return now_ns < collecting_until;
}

static bool fake_collecting_lately(uint64_t at, uint32_t within)
{
    CHECK(at == fake_ticks() && within > 0);
    if (at - looked_at > within) {
        looked_at = at;
        looks++;
    }
    return fake_collecting();
}

/* A collection by one thread: `alone` says that collections are, and `together` whether one holds all Capabilities. */
static bool alone, together;

static bool fake_collects_alone(void)
{
    return alone;
}

static bool fake_together_lately(uint64_t at, uint32_t within)
{
    CHECK(at == fake_ticks() && within > 0);
    return together && fake_collecting();
}

static uint32_t fake_capabilities(void)
{
    return capabilities_there;
}

static const struct ghcomp_host *fake_host(void)
{
    static const struct ghcomp_host fake = {.capabilities = fake_capabilities};
    return &fake;
}

/* The source itself, with these fakes. */
#define ghcomp_cpu_ticks fake_ticks
#define ghcomp_os_now fake_now
#define ghcomp_os_nap fake_nap
#define ghcomp_os_yield fake_yield
#define ghcomp_capabilities_collecting fake_collecting
#define ghcomp_capabilities_collecting_lately fake_collecting_lately
#define ghcomp_capabilities_held_together_lately fake_together_lately
#define ghcomp_cpu_account_collects_alone fake_collects_alone
#define ghcomp_host fake_host
#include "core/cpu/yield_to_haskell.c"
#undef ghcomp_host

static struct ghcomp_thread thread;

static void begin(void)
{
    memset(&thread, 0, sizeof thread);
    now_ns += 1000000000;
    collecting_until = 0;
    naps_taken = yields_made = 0;
    capabilities_there = 2;
    alone = together = false;
    ghcomp_global.num_cpus = CPUS;
    ghcomp_global.wait_policy = GHCOMP_POLICY_UNSET;
    ghcomp_settings.favour = GHCOMP_FAVOUR_FAIR;
    ghcomp_store_relaxed(&ghcomp_cpu_account_shared, true);
}

static void collects_for(uint64_t us)
{
    collecting_until = now_ns + us * 1000;
}

static uint64_t counted(void)
{
    return ghcomp_load_relaxed(&thread.counts.of[GHCOMP_COUNT_YIELDS]);
}

/* --- in a region -------------------------------------------------------------------------------------------------- */

/* How often a member naps whose region is `age_us` old and which takes more work, or comes to a barrier. */
static int naps_in_region(uint64_t age_us, bool at_barrier)
{
    static struct ghcomp_team team;
    struct ghcomp_member member = {.team = &team, .thread = &thread};
    team.begun = fake_ticks() - age_us * TICKS_PER_US;
    naps_taken = 0;
    if (at_barrier)
        ghcomp_yield_to_haskell_at_barrier(&member);
    else
        ghcomp_yield_to_haskell(&member);
    return naps_taken;
}

static void long_regions_yield_to_collections(void)
{
    begin();
    CHECK_EQUAL(0, naps_in_region(100, false)); /* no collection */
    collects_for(500);
    CHECK_EQUAL(0, naps_in_region(40, false));
    CHECK_EQUAL(3, naps_in_region(100, false)); /* 200 us each */
    CHECK(!fake_collecting());
    CHECK_EQUAL(1, counted());
    collects_for(50);
    CHECK_EQUAL(0, naps_in_region(3000, true));
    CHECK_EQUAL(1, naps_in_region(5000, true));
    collects_for(1000000);
    uint64_t before = now_ns;
    naps_in_region(100, false);
    CHECK(now_ns - before >= 2000000 && now_ns - before < 2300000);
    ghcomp_global.wait_policy = GHCOMP_POLICY_ACTIVE;
    CHECK_EQUAL(0, naps_in_region(100, false));
    begin();
    collects_for(200);
    ghcomp_store_relaxed(&ghcomp_cpu_account_shared, false);
    CHECK_EQUAL(0, naps_in_region(100, false));
    begin();
    collects_for(200);
    ghcomp_cpu_load.cpus = CPUS;
    /* Oversubscribed: threads yield in the barrier anyway. */
    ghcomp_store_relaxed(&ghcomp_cpu_load.awake, (uint32_t)CPUS);
    CHECK_EQUAL(0, naps_in_region(5000, true));
    ghcomp_store_relaxed(&ghcomp_cpu_load.awake, 0u);
}

/* Its thread sleeps until the thread that it waits for has a CPU, and is soon done when it has one itself. */
static void collections_by_one_thread_count_while_they_are_long(void)
{
    begin();
    alone = true;
    collects_for(500);
    CHECK_EQUAL(0, naps_in_region(100, false));
    CHECK_EQUAL(0, naps_in_region(5000, true));
    CHECK_EQUAL(0, counted());
    together = true;
    CHECK_EQUAL(3, naps_in_region(100, false));
    CHECK_EQUAL(1, counted());
    collects_for(50);
    CHECK_EQUAL(1, naps_in_region(5000, true));
    together = false; /* there was a long one a moment ago */
    collects_for(50);
    CHECK_EQUAL(1, naps_in_region(100, false));
    now_ns += 11000000;
    collects_for(50);
    CHECK_EQUAL(0, naps_in_region(100, false));
}

/* A look at the Capabilities takes longer than a small chunk. */
static void small_chunks_seldom_look(void)
{
    begin();
    looks = 0;
    for (int i = 0; i < 1000; i++) {
        CHECK_EQUAL(0, naps_in_region(100, false));
        now_ns += 1000;
    }
    CHECK(looks > 0 && looks <= 50);
}

/* --- before a region ---------------------------------------------------------------------------------------------- */

static void regions_that_adapt_let_collect(void)
{
    begin();
    ghcomp_yield_to_haskell_before(&thread, true);
    CHECK_EQUAL(0, naps_taken);
    collects_for(1000);
    ghcomp_yield_to_haskell_before(&thread, true);
    CHECK_EQUAL(1, naps_taken);
    CHECK(fake_collecting()); /* it sleeps once, not until the collection is over */
    CHECK_EQUAL(1, counted());
    thread.admission.left = fake_ticks() - 10 * TICKS_PER_US; /* it has not been away for long */
    ghcomp_yield_to_haskell_before(&thread, true);
    CHECK_EQUAL(1, naps_taken);
    thread.admission.left = 0;
    capabilities_there = 1; /* one CPU for the collector, one for us */
    ghcomp_yield_to_haskell_before(&thread, true);
    CHECK_EQUAL(1, naps_taken);
    struct ghcomp_account account;
    ghcomp_cpu_account_enter(&account, 1, true); /* another master's region has that CPU */
    ghcomp_yield_to_haskell_before(&thread, true);
    CHECK_EQUAL(2, naps_taken);
    ghcomp_cpu_account_leave(&account);
    capabilities_there = 2;
    ghcomp_global.wait_policy = GHCOMP_POLICY_ACTIVE;
    ghcomp_yield_to_haskell_before(&thread, true);
    ghcomp_global.wait_policy = GHCOMP_POLICY_UNSET;
    ghcomp_store_relaxed(&ghcomp_cpu_account_shared, false);
    ghcomp_yield_to_haskell_before(&thread, true);
    CHECK_EQUAL(2, naps_taken);
    CHECK_EQUAL(0, yields_made);
}

static void haskell_is_favoured(void)
{
    begin();
    ghcomp_settings.favour = GHCOMP_FAVOUR_HASKELL;
    ghcomp_global.wait_policy = GHCOMP_POLICY_ACTIVE;
    ghcomp_yield_to_haskell_before(&thread, false);
    CHECK_EQUAL(0, yields_made);
    collects_for(1000);
    ghcomp_yield_to_haskell_before(&thread, false);
    ghcomp_yield_to_haskell_before(&thread, true);
    CHECK_EQUAL(2, yields_made);
    CHECK_EQUAL(2, counted());
    CHECK_EQUAL(0, naps_taken);
}

/* Their threads sleep while they wait for each other, so they need not. */
static void regions_of_fixed_size_go_on(void)
{
    begin();
    collects_for(1000);
    ghcomp_yield_to_haskell_before(&thread, false);
    CHECK_EQUAL(0, naps_taken + yields_made);
    CHECK(fake_collecting());
}

int main(void)
{
    ghcomp_env_init();
    long_regions_yield_to_collections();
    collections_by_one_thread_count_while_they_are_long();
    small_chunks_seldom_look();
    regions_that_adapt_let_collect();
    haskell_is_favoured();
    regions_of_fixed_size_go_on();
    return 0;
}
