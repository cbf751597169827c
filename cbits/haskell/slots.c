/* Slots: StablePtrs that one task's action after another is kept in.
 *
 * A StablePtr is made and freed under one lock of the RTS. Threads that make and run small tasks would spend more
 * time with that lock than with the tasks. So a slot is a StablePtr to an IORef, which the maker of a task writes the
 * action to, and the runner of the task empties (OpenMP.Internal.Slot). The slot is the runner's then: it goes to
 * the spare ones of the runner's thread, which takes its next slot from there. In a tree of tasks each thread makes
 * about as many as it runs. A thread keeps MOST at most, and frees the others.
 *
 * A slot belongs to one thread at a time, so nothing here is atomic. The task that it is in hands it on, and orders
 * the maker's writes before the runner's reads. A task that must not run any more frees its slot with the action in it
 * (task.c).
 *
 * A thread frees its spare slots before it leaves Haskell, while it has a Capability: without one, the RTS could end
 * meanwhile, and its table of StablePtrs with it. A thread that is killed keeps them for its next region.
 *
 * Called by OpenMP.Internal.Slot. Covered by test/unit/slots.c and test/hs/library/TaskTest.hs.
 */
#include "haskell/slots.h"

#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

enum { MOST = 32 };

static __thread struct {
    uint32_t count;
    void *spare[MOST];
} mine; /* owner only */

EXPORT void *ghcomp_hs_slot_take(void)
{
    return mine.count == 0 ? NULL : mine.spare[--mine.count];
}

EXPORT bool ghcomp_hs_slot_keep(void *slot)
{
    if (mine.count == MOST)
        return false;
    mine.spare[mine.count++] = slot;
    return true;
}
