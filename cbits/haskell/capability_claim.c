/* Claims on Capabilities: a thread that is about to enter Haskell claims an idle one.
 *
 * An in-call by a busy Capability waits until the Haskell thread that runs there is preempted, up to 20 ms. The RTS
 * searches an idle Capability by itself, but two threads that search at the same moment find the same one, and the RTS
 * does not report that there is none. So the runtime searches, too (host/capabilities.c). If no idle Capability is
 * found, but the addresses of some are not known yet, the RTS chooses.
 *
 * Protocol. Between the search and rts_lock the Capability still appears idle. So a thread first takes claims[i]
 * (xchg_acqrel, which orders nothing but the claim itself), and gives it back when it is inside (store_release). GHC's
 * scheduler does not respect claims: when it puts a Haskell thread there meanwhile, the claiming thread waits, as it
 * would without this module. The child of fork() drops all claims.
 *
 * Called by enter.c and region.c. Covered by test/hs/library/ParallelTest.hs ("a busy Capability").
 */
#include "Rts.h"

#include "haskell/capability_claim.h"

#include "core/team/pool.h"
#include "host/capabilities.h"

enum { MOST = 256 };

static _Atomic uint32_t claims[MOST];      /* 1: a thread of the runtime is about to enter */
static _Atomic uint32_t claims_of;         /* the process generation that the claims belong to */
static __thread void *my_task;             /* the Task that this thread holds Capabilities by (host/capabilities.c) */

uint32_t ghcomp_capability_count(void)
{
    return enabled_capabilities;
}

int ghcomp_capability_claim(int home)
{
    uint32_t count = enabled_capabilities;
    if (count == 0 || count > MOST || ghcomp_capabilities_visibility() != GHCOMP_VISIBILITY_AWARE)
        return GHCOMP_CAPABILITY_ANY;
    if (ghcomp_unlikely(ghcomp_load_relaxed(&claims_of) != ghcomp_process_generation)) {
        for (uint32_t i = 0; i < MOST; i++)
            ghcomp_store_relaxed(&claims[i], 0u);
        ghcomp_store_relaxed(&claims_of, ghcomp_process_generation);
    }
    bool all_known = true;
    uint32_t i = home >= 0 ? (uint32_t)home % count : 0;
    for (uint32_t tries = 0; tries < count; tries++, i = i + 1 < count ? i + 1 : 0) {
        void *capability = ghcomp_capability(i);
        if (capability == NULL) {
            all_known = false;
            continue;
        }
        if (ghcomp_capability_held(capability) || ghcomp_load_relaxed(&claims[i]) != 0 ||
            ghcomp_xchg_acqrel(&claims[i], 1u) != 0)
            continue;
        if (!ghcomp_capability_held(capability))
            return (int)i;
        ghcomp_store_release(&claims[i], 0u);
    }
    return all_known ? GHCOMP_CAPABILITY_NONE : GHCOMP_CAPABILITY_ANY;
}

bool ghcomp_capability_idle(void)
{
    uint32_t count = enabled_capabilities;
    if (count > MOST || ghcomp_capabilities_visibility() != GHCOMP_VISIBILITY_AWARE)
        return true;
    for (uint32_t i = 0; i < count; i++) {
        void *capability = ghcomp_capability(i);
        if (capability != NULL && !ghcomp_capability_held(capability) && ghcomp_load_relaxed(&claims[i]) == 0)
            return true;
    }
    return false;
}

void ghcomp_capability_entered(void *capability, int claimed)
{
    if (claimed >= 0)
        ghcomp_store_release(&claims[claimed], 0u);
    ghcomp_capability_learn(capability, &my_task);
}

void ghcomp_capability_left(void *capability)
{
    ghcomp_capability_learnt(capability, my_task);
}

int ghcomp_hs_capability_here(void)
{
    Capability *capability = rts_unsafeGetMyCapability();
    return (int)*(const uint32_t *)((const char *)capability + sizeof(CapabilityPublic));
}
