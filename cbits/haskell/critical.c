/* Critical sections for Haskell code: OpenMP's unnamed one (core/sync/critical.c), and those of newCritical, each in
 * memory of its own.
 *
 * Waiting. A thread waits in C for SLICE_NS at most, then returns to Haskell, where asynchronous exceptions reach it,
 * and is called again. Rule 5 of core/sync/lock.c says how a thread leaves a wait without losing the lock.
 *
 * A wait that could never end is an error, HELD. `owner` has the number of the Haskell thread in the section. Numbers
 * are unique, so a thread that finds its own number is itself in the section. A thread inside a region also compares
 * the numbers of the threads that have opened the region (region->opener) and the regions around it (region->outer):
 * these leave the section only after the region's end. These structs exist as long as the region, on the stacks of
 * threads that wait for its end. C code that is in the unnamed section and calls back is found by core's `holder`. A
 * callback from C that a Haskell thread has called within a section is not found: it is a Haskell thread of its own,
 * and the owner, if it is unbound, need not have entered on the OS thread from which it has called C.
 *
 * Barriers inside. The other members might wait for the section, so a barrier there is an error, too (construct.c).
 * `held` counts the sections of the calling OS thread's body. This is correct because a body's Haskell code is bound to
 * its OS thread, on which no unbound Haskell thread runs. Without the threaded RTS this does not hold, but then all
 * teams have one member, and nothing is counted.
 *
 * Called by OpenMP.Internal.Critical. Covered by test/hs/library/CriticalTest.hs.
 */
#include "haskell/critical.h"

#include "core/cpu/cpu_account.h"
#include "core/sync/critical.h"

#define EXPORT __attribute__((visibility("default")))

enum { SLICE_NS = 10000000 };

/* OpenMP.Internal.Critical has the same values. */
enum entry { BUSY, ENTERED, HELD };

/* Zeroed memory of Haskell's, at a cache line of its own. */
struct section {
    _Atomic uint32_t lock;
    _Atomic uint64_t owner; /* the Haskell thread in the section, or 0; written by that thread. atomic(relaxed) for
                               itself and for members of its regions; cleared with store_release, load_acquire */
};

_Thread_local struct ghcomp_hs_here ghcomp_hs_here;

static struct section unnamed; /* without its lock */

static bool counts(void)
{
    const struct ghcomp_hs_region *inside = ghcomp_hs_here.inside;
    return inside != NULL && inside->size > 1;
}

static enum entry entered(struct section *section, uint64_t self)
{
    ghcomp_store_relaxed(&(section != NULL ? section : &unnamed)->owner, self);
    if (counts())
        ghcomp_hs_here.held++;
    return ENTERED;
}

/* Whether the wait could never end, because the section's owner leaves it only after the caller has left its body. */
static bool waits_for_itself(const struct section *section, uint64_t self)
{
    uint64_t owner = ghcomp_load_acquire(&(section != NULL ? section : &unnamed)->owner);
    if (owner == 0) {
        const struct ghcomp_member *member = ghcomp_self_member;
        return section == NULL && member != NULL &&
               ghcomp_load_relaxed(&ghcomp_critical_unnamed.holder) == member->thread;
    }
    if (owner == self)
        return true;
    for (const struct ghcomp_hs_region *region = ghcomp_hs_here.inside; region != NULL; region = region->outer)
        if ((uint64_t)region->request->opener == owner)
            return true;
    return false;
}

/* Tries to enter a section: OpenMP's unnamed one if it is NULL. `self` is the number of the calling Haskell thread. For
   an unsafe call. */
EXPORT int ghcomp_hs_critical_try(struct section *section, uint64_t self)
{
    if (section != NULL ? ghcomp_lock_try(&section->lock) : ghcomp_critical_try(&ghcomp_critical_unnamed))
        return entered(section, self);
    return waits_for_itself(section, self) ? HELD : BUSY;
}

/* Waits for a section that was BUSY, for some time. For a safe call. */
EXPORT int ghcomp_hs_critical_enter(struct section *section, uint64_t self)
{
    bool in_haskell = ghcomp_cpu_account_in_haskell(false);
    bool taken = section != NULL ? ghcomp_lock_take_for(&section->lock, SLICE_NS)
                                 : ghcomp_critical_enter_for(&ghcomp_critical_unnamed, SLICE_NS);
    ghcomp_cpu_account_in_haskell(in_haskell);
    return taken ? entered(section, self) : BUSY;
}

/* For an unsafe call. */
EXPORT void ghcomp_hs_critical_leave(struct section *section)
{
    if (counts())
        ghcomp_hs_here.held--;
    if (section != NULL) {
        ghcomp_store_release(&section->owner, 0u);
        ghcomp_lock_give(&section->lock);
    } else {
        /* Clears the holder before the owner: the OS thread that it names may run another Haskell thread, which must
           not find a holder without an owner. */
        ghcomp_store_relaxed(&ghcomp_critical_unnamed.holder, NULL);
        ghcomp_store_release(&unnamed.owner, 0u); /* pairs with the load in waits_for_itself */
        ghcomp_critical_leave(&ghcomp_critical_unnamed);
    }
}
