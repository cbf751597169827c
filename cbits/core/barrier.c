/* The barrier inside a region: a counter of arrivals and an episode word.
 *
 * 1. A member reads the episode, then adds itself to `arrived` (add_acqrel).
 * 2. Whoever makes it complete sets `arrived` back to 0, clears the cancellation of the construct that ends here, and
 *    exchanges the episode for the next one (xchg_acqrel, pairs with the waiters' load_acquire). The members that it
 *    releases may arrive at the next episode at once: `arrived` was reset before the exchange.
 * 3. The others wait for the episode to change (wait.h: sleeping words). The releaser wakes two sleepers; a woken one
 *    wakes two more, so that waking takes O(log n) steps and no thread pays for all.
 *
 * Leaving early: cancel.c sets team.cancelled and then calls ghcomp_barrier_recheck, which clears bit 0 of the episode
 * and wakes all. A waiter sets bit 0 *before* it reads `cancelled` for the last time: either it sees the flag, or the
 * clearing comes later, sees the bit, and changes the word under the futex wait. After that the count of arrivals is
 * stale, which nobody minds: a cancelled region runs to its join, which counts separately, and the master resets the
 * barrier behind it.
 *
 * Covered by test/unit/team.c, test/unit/team_sleep.c and test/conformance/{barrier,cancel}.
 */
#include "core/barrier.h"

#include <limits.h>

#include "core/wait.h"

static void release(struct ghcomp_team *team, uint32_t episode)
{
    struct ghcomp_barrier *barrier = &team->barrier;
    ghcomp_store_relaxed(&barrier->arrived, 0u);
    if (ghcomp_load_relaxed(&team->cancelled) & GHCOMP_CANCELLED_SHARE)
        ghcomp_and_relaxed(&team->cancelled, ~(uint32_t)GHCOMP_CANCELLED_SHARE);
    if (ghcomp_xchg_acqrel(&barrier->episode, episode + 2) & 1u)
        ghcomp_os_wake(&barrier->episode, 2);
}

static inline bool wait_episode(struct ghcomp_member *self, bool cancellable)
{
    struct ghcomp_team *team = self->team;
    struct ghcomp_barrier *barrier = &team->barrier;
    if (team->size == 1) {
        if (ghcomp_load_relaxed(&team->cancelled) & GHCOMP_CANCELLED_SHARE)
            ghcomp_and_relaxed(&team->cancelled, ~(uint32_t)GHCOMP_CANCELLED_SHARE);
        return cancellable && (ghcomp_load_relaxed(&team->cancelled) & GHCOMP_CANCELLED_PARALLEL);
    }
    if (cancellable && (ghcomp_load_relaxed(&team->cancelled) & GHCOMP_CANCELLED_PARALLEL))
        return true;
    uint32_t episode = ghcomp_load_relaxed(&barrier->episode) & ~1u;
    if (ghcomp_add_acqrel(&barrier->arrived, 1u) + 1 == team->size) {
        release(team, episode);
        return cancellable && (ghcomp_load_relaxed(&team->cancelled) & GHCOMP_CANCELLED_PARALLEL);
    }
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_TEAM);
    bool slept = false;
    uint32_t value;
    while (((value = ghcomp_load_acquire(&barrier->episode)) & ~1u) == episode) {
        if (cancellable && (ghcomp_load_acquire(&team->cancelled) & GHCOMP_CANCELLED_PARALLEL))
            return true;
        if (ghcomp_spin_again(&spin))
            continue;
        if (value == episode) {
            /* Whoever set the bit looks at the flag once more: see "leaving early" above. */
            ghcomp_cas_acqrel(&barrier->episode, &value, episode | 1u);
            continue;
        }
        ghcomp_wait_park(&barrier->episode, episode | 1u);
        slept = true;
    }
    if (slept && team->size > 3)
        ghcomp_os_wake(&barrier->episode, 2);
    return cancellable && (ghcomp_load_relaxed(&team->cancelled) & GHCOMP_CANCELLED_PARALLEL);
}

void ghcomp_barrier_wait(struct ghcomp_member *self)
{
    wait_episode(self, false);
}

bool ghcomp_barrier_wait_cancellable(struct ghcomp_member *self)
{
    return wait_episode(self, true);
}

void ghcomp_barrier_recheck(struct ghcomp_team *team)
{
    /* Both this and the waiter's cas change the episode: the later one (acquire) sees what the earlier one's thread did
       before it (release), that is, the flag or the bit. */
    if (ghcomp_and_acqrel(&team->barrier.episode, ~1u) & 1u)
        ghcomp_os_wake(&team->barrier.episode, INT_MAX);
}

void ghcomp_barrier_reset(struct ghcomp_barrier *barrier)
{
    ghcomp_store_relaxed(&barrier->arrived, 0u);
    ghcomp_and_relaxed(&barrier->episode, ~1u);
}
