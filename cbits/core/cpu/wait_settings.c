/* How long waits may last before they sleep. Contract in wait_settings.h. */
#include "core/cpu/wait_settings.h"

#include "host/os.h"

struct ghcomp_wait_settings ghcomp_wait_settings;

static const uint64_t MICROSECOND = 1000;
static const uint64_t MILLISECOND = 1000000;

/* Measures how many nanoseconds `pauses` pauses take: the unit of GOMP_SPINCOUNT. */
static uint64_t measure_pauses(uint64_t pauses)
{
    enum { SAMPLE = 200 };
    uint64_t best = UINT64_MAX;
    for (int attempt = 0; attempt < 5; attempt++) {
        uint64_t begin = ghcomp_os_now();
        for (int i = 0; i < SAMPLE; i++)
            ghcomp_cpu_pause();
        uint64_t took = ghcomp_os_now() - begin;
        if (took < best)
            best = took;
    }
    return pauses > UINT64_MAX / (best + 1) ? UINT64_MAX : pauses * best / SAMPLE;
}

void ghcomp_wait_set_limit(enum ghcomp_wait_kind kind, uint64_t free_ns, uint64_t oversubscribed_ns)
{
    ghcomp_foreign_store_relaxed(&ghcomp_wait_settings.free_ns[kind], free_ns);
    ghcomp_foreign_store_relaxed(&ghcomp_wait_settings.oversubscribed_ns[kind], oversubscribed_ns);
    ghcomp_add_acqrel(&ghcomp_wait_settings.version, 1u);
}

static void set_budgets(uint64_t free_ns, uint64_t oversubscribed_ns)
{
    /* A lock is held for less time than a wake-up takes, or for long: waiters spin for the time of one wake-up. */
    uint64_t lock_ns = 50 * MICROSECOND;
    ghcomp_wait_set_limit(GHCOMP_WAIT_TEAM, free_ns, oversubscribed_ns);
    ghcomp_wait_set_limit(GHCOMP_WAIT_BARRIER, free_ns, oversubscribed_ns);
    ghcomp_wait_set_limit(GHCOMP_WAIT_MAIL, free_ns, oversubscribed_ns);
    ghcomp_wait_set_limit(GHCOMP_WAIT_TURN, free_ns, oversubscribed_ns);
    ghcomp_wait_set_limit(GHCOMP_WAIT_SINK, free_ns, oversubscribed_ns);
    ghcomp_wait_set_limit(GHCOMP_WAIT_POST, free_ns, oversubscribed_ns);
    ghcomp_wait_set_limit(GHCOMP_WAIT_LOCK, free_ns < lock_ns ? free_ns : lock_ns,
                          oversubscribed_ns < lock_ns ? oversubscribed_ns : lock_ns);
}

void ghcomp_wait_settings_init(void)
{
    uint64_t free_ns = GHCOMP_FREE_NS, oversubscribed_ns = 200 * MICROSECOND;
    switch (ghcomp_global.wait_policy) {
    case GHCOMP_POLICY_ACTIVE:
        free_ns = UINT64_MAX; /* as in libgomp: endless with a CPU for each thread; with more threads than CPUs a limit
                                 remains */
        break;
    case GHCOMP_POLICY_PASSIVE:
        free_ns = oversubscribed_ns = 0;
        break;
    case GHCOMP_POLICY_UNSET:
        break;
    }
    if (ghcomp_global.spincount_set) {
        free_ns = measure_pauses(ghcomp_global.spincount);
        if (free_ns < oversubscribed_ns)
            oversubscribed_ns = free_ns;
    }
    if (ghcomp_global.blocktime_set)
        ghcomp_wait_set_budget(ghcomp_global.blocktime);
    else
        set_budgets(free_ns, oversubscribed_ns);
}

void ghcomp_wait_set_budget(uint64_t free_ns)
{
    uint64_t most = free_ns == UINT64_MAX ? 10 * MILLISECOND : 200 * MICROSECOND;
    set_budgets(free_ns, free_ns < most ? free_ns : most);
}
