/* Whether a loop can get helpers: whether a region would have a second thread that can run Haskell.
 *
 * For a region the caller gives up its Capability: it leaves Haskell and has to enter it again. If other Haskell
 * threads hold all Capabilities, they take the caller's, too; the region then waits for the end of one of their time
 * slices (20 ms), and gets no helper. In that case the loop runs in the calling Haskell thread, which checks now and
 * then whether the situation has changed.
 *
 * One look at the Capabilities is not enough:
 *
 *   - An idle Capability may be busy for some microseconds, because a timer fired or a region has just ended. A loop of
 *     a few long iterations that starts at that moment would run all of them in one thread. So a caller that sees no
 *     idle Capability polls for PATIENCE before it relies on it, unless a look within the last REMEMBERED has found the
 *     same.
 *   - A Capability that is handed from one thread to the next, after a collection for example, is held by no thread
 *     until the next one has woken up. It looks idle but is not. So if none was idle within the last REMEMBERED, one
 *     must be idle for CONFIRMED: in two looks that far apart, and in all looks between them.
 *
 * Even with helpers a region may cost more than it saves: two threads gain half of the loop's time and lose some 5 us,
 * in which the caller leaves Haskell and both enter it. So a loop of many iterations begins in its caller, which
 * estimates from the latest ones how long the rest will take. If that is more than WORTH_REGION, the rest becomes a
 * region. The first iterations may be slow because the caches are cold, and the looks between them take time, too. So a
 * step that takes less than JUDGED_FROM is not judged; the next one is twice as long.
 *
 * The results are kept for the whole process, as hints. Times are ticks of the processor's counter, 0.3 to 0.5 ns each.
 * If the counter of another CPU is behind, a difference becomes huge, which means "long ago".
 *
 * Called by region.c and OpenMP.Internal.Serial. Covered by test/unit/helpers.c and
 * test/hs/library/ParallelTest.hs.
 */
#include "haskell/helpers.h"

#include "base/atomic.h"
#include "core/state/icv.h"
#include "haskell/capability_claim.h"
#include "host/capabilities.h"

enum {
    PATIENCE = 33 * GHCOMP_TICKS_PER_US,
    CONFIRMED = 100 * GHCOMP_TICKS_PER_US,
    LOOK_EVERY = 333 * GHCOMP_TICKS_PER_US,
    REMEMBERED = 2000 * GHCOMP_TICKS_PER_US,
    WORTH_REGION = 10 * GHCOMP_TICKS_PER_US,
    JUDGED_FROM = GHCOMP_TICKS_PER_US / 3
};

static struct {
    _Atomic uint64_t none; /* the last look that found none idle; atomic(relaxed) */
    _Atomic uint64_t idle; /* the first look after that which found an idle one; atomic(relaxed) */
} seen;

static inline bool confirming(uint64_t none, uint64_t idle)
{
    return (int64_t)(idle - none) >= 0;
}

/* Whether there is an idle Capability and a CPU for it. Where there are more Capabilities than CPUs, an idle one does
   not help when the busy ones have work for all CPUs. (On one CPU, bodies that block may still run in turns.) */
static bool helper_possible(void)
{
    uint32_t cores = ghcomp_global.num_cpus > 2 ? ghcomp_global.num_cpus : 2;
    return ghcomp_capability_idle() && ghcomp_capabilities_busy() < cores;
}

static bool nobody_helps_at(uint64_t now)
{
    uint64_t none = ghcomp_load_relaxed(&seen.none), idle = ghcomp_load_relaxed(&seen.idle);
    bool remembered = now - none < REMEMBERED;
    if (helper_possible()) {
        if (!remembered)
            return false;
        if (confirming(none, idle))
            return now - idle < CONFIRMED;
        ghcomp_store_relaxed(&seen.idle, now);
        return true;
    }
    /* Not during a collection, which may be waiting for this thread. */
    while (!remembered && ghcomp_cpu_ticks() - now < PATIENCE && !ghcomp_capabilities_collecting()) {
        ghcomp_cpu_pause();
        if (helper_possible())
            return false;
    }
    ghcomp_store_relaxed(&seen.none, ghcomp_cpu_ticks());
    return true;
}

bool ghcomp_helpers_none(void)
{
    return nobody_helps_at(ghcomp_cpu_ticks());
}

uint64_t ghcomp_hs_helpers_poll(uint64_t looked)
{
    uint64_t now = ghcomp_cpu_ticks();
    if (now - looked < LOOK_EVERY)
        return looked;
    if (!nobody_helps_at(now))
        return 0;
    return confirming(ghcomp_load_relaxed(&seen.none), ghcomp_load_relaxed(&seen.idle)) ? now - LOOK_EVERY + CONFIRMED
                                                                                      : now;
}

uint64_t ghcomp_hs_ticks(void)
{
    return ghcomp_cpu_ticks();
}

uint64_t ghcomp_hs_worth_region(uint64_t looked, uint64_t done, uint64_t left)
{
    uint64_t now = ghcomp_cpu_ticks(), taken = now - looked;
    return taken >= JUDGED_FROM && (double)taken * (double)left > (double)WORTH_REGION * (double)done ? 0 : now;
}
