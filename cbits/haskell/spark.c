/* Wakes an idle Capability when there is a spark to run.
 *
 * GHC's scheduler wakes idle Capabilities for sparks only when the thread that made them returns to it: when the thread
 * blocks, at a collection, and, if it allocates, at the end of its time slice of 20 ms. Making a spark wakes no
 * Capability, so work of some milliseconds is over before another Capability helps. But a thread that is put on an idle
 * Capability wakes it at once, and when this thread has ended, the scheduler there searches for sparks, including those
 * of other Capabilities. So after each spark the library checks whether a Capability is idle (a few nanoseconds), and
 * *asks* it to help: it puts a thread there that only records that it has run.
 *
 * The Capability to ask:
 *
 *   - An idle Capability that has not been asked yet: for the tens of microseconds until its OS thread is awake it
 *     still looks idle. Where there are more Capabilities than CPUs, only while the busy ones leave a CPU.
 *   - Otherwise one that is busy, or whose state is not known, at most one in ASK_EVERY. A Capability may be busy for a
 *     moment, before it sleeps, and then no scheduler would search sparks. The thread makes its scheduler search once
 *     more; it costs a Capability that stays busy a few microseconds.
 *
 * asked[i] is the process's generation, plus 1, when Capability i was asked, until its thread has run; so in the child
 * of fork() none counts as asked. All are hints: atomic(relaxed), with xchg_acqrel so that only one thread asks. The
 * threads that make sparks and those that are put on Capabilities record the address of their Capability, which makes
 * its state visible (host/capabilities.c).
 *
 * Called by OpenMP.Internal.Spark, all by unsafe calls. Covered by test/hs/library/LinearTest.hs ("sparks run
 * at the same time").
 */
#include "Rts.h"

#include "core/state/icv.h"
#include "core/team/pool.h"
#include "haskell/capability_claim.h"
#include "host/capabilities.h"

#define EXPORT __attribute__((visibility("default")))

enum { MOST = 256, NONE = -1, ASK_EVERY = 100 * GHCOMP_TICKS_PER_US };

static _Atomic uint32_t asked[MOST];
static _Atomic uint64_t asked_busy; /* ticks when a busy one was last asked; atomic(relaxed), with cas_relaxed */

EXPORT int ghcomp_hs_spark_wanted(void);
EXPORT int ghcomp_hs_spark_helper(void);
EXPORT void ghcomp_hs_spark_helper_came(int number);

enum state { IDLE, ASKED, BUSY };

static enum state state_of(uint32_t number, bool cpu_free)
{
    if (ghcomp_load_relaxed(&asked[number]) == ghcomp_process_generation + 1)
        return ASKED;
    void *capability = ghcomp_capability(number);
    if (capability == NULL || ghcomp_capability_held(capability))
        return BUSY;
    return cpu_free ? IDLE : ASKED;
}

/* Whether the busy Capabilities leave a CPU. Two Capabilities are always allowed, because two parts may wait for each
   other. */
static bool cpu_free(void)
{
    uint32_t cores = ghcomp_global.num_cpus > 2 ? ghcomp_global.num_cpus : 2;
    return enabled_capabilities <= cores || ghcomp_capabilities_busy() < cores;
}

static bool time_for_busy(uint64_t now)
{
    return now - ghcomp_load_relaxed(&asked_busy) >= ASK_EVERY;
}

/* Whether a Capability may be asked now. */
int ghcomp_hs_spark_wanted(void)
{
    uint32_t here = (uint32_t)ghcomp_hs_capability_here(), count = enabled_capabilities;
    if (count > MOST)
        return 0;
    bool room = cpu_free(), busy = false;
    for (uint32_t i = 0; i < count; i++) {
        enum state state = i == here ? ASKED : state_of(i, room);
        if (state == IDLE)
            return 1;
        busy = busy || state == BUSY;
    }
    return busy && time_for_busy(ghcomp_cpu_ticks());
}

static void learn(uint32_t number)
{
    void *task = NULL;
    if (ghcomp_capability(number) == NULL)
        ghcomp_capability_learn(rts_unsafeGetMyCapability(), &task);
}

/* Asks the next Capability after `here` that is in this state. */
static int ask(enum state wanted, uint32_t here)
{
    uint32_t count = enabled_capabilities, asking = ghcomp_process_generation + 1;
    bool room = cpu_free();
    for (uint32_t k = 1; k < count; k++) {
        uint32_t i = (here + k) % count;
        if (i != here && state_of(i, room) == wanted && ghcomp_xchg_acqrel(&asked[i], asking) != asking)
            return (int)i;
    }
    return NONE;
}

/* Chooses the Capability to ask; returns its number, or NONE. The caller puts a thread there, which records that it has
   run. */
int ghcomp_hs_spark_helper(void)
{
    uint32_t here = (uint32_t)ghcomp_hs_capability_here();
    if (enabled_capabilities > MOST)
        return NONE;
    /* Chooses the host, if no region has done so yet, so that the runtime starts to find the Capabilities. */
    if (ghcomp_capabilities_visibility() == GHCOMP_VISIBILITY_NONE)
        ghcomp_pool_host();
    learn(here);
    int helper = ask(IDLE, here);
    uint64_t now = ghcomp_cpu_ticks(), last = ghcomp_load_relaxed(&asked_busy);
    if (helper != NONE || !time_for_busy(now) || !ghcomp_cas_relaxed(&asked_busy, &last, now))
        return helper;
    return ask(BUSY, here);
}

/* Called by the thread that was put on that Capability: records that it has run. */
void ghcomp_hs_spark_helper_came(int number)
{
    ghcomp_store_release(&asked[number], 0u);
    learn((uint32_t)ghcomp_hs_capability_here());
}
