/* Slots: StablePtrs, reused, that hold tasks' actions.
 *
 * A StablePtr is made and freed under one lock of the RTS. Threads that make and run small tasks would spend more time
 * on that lock than on the tasks. So a slot is a StablePtr to an IORef: a task's maker writes the action into it, and
 * the thread that runs the task empties it (OpenMP.Internal.Slot) and adds it to its own spare slots, from which it
 * takes the slots for the tasks that it makes. In a tree of tasks each thread makes about as many tasks as it runs. A
 * thread keeps MOST at most, and frees the others.
 *
 * A slot belongs to one thread at a time, so nothing here is atomic. The task hands it on from its maker to the thread
 * that runs it, and orders the former's writes before the latter's reads. A task that must not run any more frees its
 * slot with the action in it (task.c).
 *
 * A thread frees its spare slots before it leaves Haskell, while it has a Capability; otherwise the RTS might end
 * meanwhile, and take its table of StablePtrs with it. A thread that is killed keeps them for its next region.
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
