/* Idle Capabilities, and how to tell.
 *
 * An in-call to a busy Capability waits until the Haskell thread that runs there is preempted, up to 20 ms. The RTS
 * looks for an idle one by itself, but two threads that look at the same moment find the same one, and it cannot say
 * that there is none. So the runtime looks, too.
 *
 * What is looked at. A Capability is busy while a Task holds it: the word `running_task`, which lies behind the public
 * part of the struct and its number. (rCurrentTSO would miss the collector and the scheduler.) No header for users says
 * so; the offset is the same from 9.0 to 9.12, and it is checked instead of believed: a thread that holds a Capability
 * must find there the same value each time, whichever Capability it is, and another one when it has given it back.
 * If not, the runtime is unaware from then on, and the RTS chooses.
 *
 * Where they are. The address comes from entering: rts_lock returns it, and an unsafe call may ask for its own. A
 * Capability that nobody has entered by yet is unknown, and as long as there are such, and no known one is idle, the
 * RTS chooses (which looks for an idle one as well). Capabilities are neither moved nor freed when their number
 * changes.
 *
 * Claims. Between the look and rts_lock the Capability still looks idle. A thread takes claim[i] first (xchg_acqrel;
 * nothing but the claim itself is ordered by it) and gives it back when it is inside (store_release). Haskell threads
 * that the scheduler puts there meanwhile do not ask: then the thread waits, as it would without us. The child of
 * fork() throws all claims away.
 *
 * Called by enter.c. Covered by test/hs/library (ParallelTest: "a busy Capability").
 */
#include "Rts.h"

#include "haskell/capability.h"

#include "core/pool.h"

enum { MOST = 256, TASK_OFFSET = sizeof(CapabilityPublic) + 8, NUMBER_OFFSET = sizeof(CapabilityPublic) };

static struct {
    _Atomic(void *) address;   /* store_release by who learns it, load_acquire by who looks; then immutable */
    _Atomic uint32_t claim;    /* 1: a thread of ours is about to enter */
} known[MOST];
static _Atomic bool unaware;               /* atomic(relaxed): only ever becomes true */
static _Atomic uint32_t claims_of;         /* the process generation that the claims belong to */
static __thread void *my_task;             /* what running_task is while this thread holds a Capability */

static inline void *running_task(void *capability)
{
    return __atomic_load_n((void **)((char *)capability + TASK_OFFSET), __ATOMIC_RELAXED);
}

static inline uint32_t number_of(void *capability)
{
    return __atomic_load_n((uint32_t *)((char *)capability + NUMBER_OFFSET), __ATOMIC_RELAXED);
}

uint32_t ghcomp_capability_count(void)
{
    return enabled_capabilities;
}

int ghcomp_capability_claim(int home)
{
    uint32_t count = enabled_capabilities;
    if (count == 0 || count > MOST || ghcomp_load_relaxed(&unaware))
        return GHCOMP_CAPABILITY_ANY;
    if (ghcomp_unlikely(ghcomp_load_relaxed(&claims_of) != ghcomp_process_generation)) {
        for (uint32_t i = 0; i < MOST; i++)
            ghcomp_store_relaxed(&known[i].claim, 0u);
        ghcomp_store_relaxed(&claims_of, ghcomp_process_generation);
    }
    bool all_known = true;
    uint32_t i = home >= 0 ? (uint32_t)home % count : 0;
    for (uint32_t tries = 0; tries < count; tries++, i = i + 1 < count ? i + 1 : 0) {
        void *capability = ghcomp_load_acquire(&known[i].address);
        if (capability == NULL) {
            all_known = false;
            continue;
        }
        if (running_task(capability) != NULL || ghcomp_load_relaxed(&known[i].claim) != 0 ||
            ghcomp_xchg_acqrel(&known[i].claim, 1u) != 0)
            continue;
        if (running_task(capability) == NULL)
            return (int)i;
        ghcomp_store_release(&known[i].claim, 0u);
    }
    return all_known ? GHCOMP_CAPABILITY_NONE : GHCOMP_CAPABILITY_ANY;
}

static void learn(void *capability)
{
    uint32_t number = number_of(capability);
    if (number >= MOST)
        ghcomp_store_relaxed(&unaware, true);
    else if (ghcomp_load_relaxed(&known[number].address) == NULL)
        ghcomp_store_release(&known[number].address, capability);
    else if (ghcomp_load_relaxed(&known[number].address) != capability)
        ghcomp_store_relaxed(&unaware, true);
}

void ghcomp_capability_entered(void *capability, int claimed)
{
    if (claimed >= 0)
        ghcomp_store_release(&known[claimed].claim, 0u);
    void *task = running_task(capability);
    if (my_task == NULL)
        my_task = task;
    if (task == NULL || task != my_task)
        ghcomp_store_relaxed(&unaware, true);
    else
        learn(capability);
}

void ghcomp_capability_left(void *capability)
{
    if (my_task != NULL && running_task(capability) == my_task)
        ghcomp_store_relaxed(&unaware, true);
}

int ghcomp_hs_capability_here(void)
{
    Capability *capability = rts_unsafeGetMyCapability();
    if (!ghcomp_load_relaxed(&unaware))
        learn(capability);
    return (int)number_of(capability);
}
