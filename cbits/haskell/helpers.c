/* Whether a loop had better run in the Haskell thread that called for it.
 *
 * A region costs its caller the Capability: it leaves Haskell and has to enter again. Where other Haskell threads hold
 * all Capabilities, they take the caller's, too, and the region waits for a time slice of theirs (20 ms) to end, only
 * to find that it has no helpers. Then the loop runs where it was called, and looks now and then whether that has
 * changed.
 *
 * One look does not tell enough:
 *
 *   - A Capability that was idle is busy for some microseconds, since a timer fired or a region has just ended. A loop
 *     whose only iterations are long would run them all alone. So who sees that none is idle polls for PATIENCE before
 *     it believes it. Not when somebody has seen the same within the last REMEMBERED.
 *   - A Capability that is handed from one thread to the next, after a collection say, is nobody's until that thread
 *     has woken up. It looks idle and is not. So where none was idle within the last REMEMBERED, one must be for
 *     CONFIRMED: in two looks that far apart, and in those between.
 *
 * What was seen belongs to the process; it is a hint. Times are the processor's ticks, 0.3 to 0.5 ns each. A clock that
 * runs behind on another CPU makes a difference huge: that is "long ago".
 *
 * Called by region.c and GHC.OpenMP.Internal.Loop. Covered by test/unit/helpers.c and test/hs/library (ParallelTest).
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
    REMEMBERED = 2000 * GHCOMP_TICKS_PER_US
};

static struct {
    _Atomic uint64_t none; /* the last look that found none idle; atomic(relaxed) */
    _Atomic uint64_t idle; /* the first look after it that found one; atomic(relaxed) */
} seen;

static inline bool confirming(uint64_t none, uint64_t idle)
{
    return (int64_t)(idle - none) >= 0;
}

/* Whether there is an idle Capability and a core for it. More Capabilities than cores have some, while others run, whose
   threads wait for a core with work in hand. (On one core bodies that block may still take turns.) */
static bool somebody(void)
{
    uint32_t cores = ghcomp_global.num_cpus > 2 ? ghcomp_global.num_cpus : 2;
    return ghcomp_capability_idle() && ghcomp_capabilities_busy() < cores;
}

static bool alone_at(uint64_t now)
{
    uint64_t none = ghcomp_load_relaxed(&seen.none), idle = ghcomp_load_relaxed(&seen.idle);
    bool remembered = now - none < REMEMBERED;
    if (somebody()) {
        if (!remembered)
            return false;
        if (confirming(none, idle))
            return now - idle < CONFIRMED;
        ghcomp_store_relaxed(&seen.idle, now);
        return true;
    }
    /* A collection must not wait for who waits for it. */
    while (!remembered && ghcomp_cpu_ticks() - now < PATIENCE && !ghcomp_capabilities_collecting()) {
        ghcomp_cpu_pause();
        if (somebody())
            return false;
    }
    ghcomp_store_relaxed(&seen.none, ghcomp_cpu_ticks());
    return true;
}

bool ghcomp_helpers_none(void)
{
    return alone_at(ghcomp_cpu_ticks());
}

uint64_t ghcomp_hs_helpers_poll(uint64_t looked)
{
    uint64_t now = ghcomp_cpu_ticks();
    if (now - looked < LOOK_EVERY)
        return looked;
    if (!alone_at(now))
        return 0;
    return confirming(ghcomp_load_relaxed(&seen.none), ghcomp_load_relaxed(&seen.idle)) ? now - LOOK_EVERY + CONFIRMED
                                                                                      : now;
}

uint64_t ghcomp_hs_ticks(void)
{
    return ghcomp_cpu_ticks();
}
