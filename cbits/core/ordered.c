/* Ordered regions: chunks take turns in the order of their iterations.
 *
 * share.turn is the first iteration of the chunk whose turn it is, so the chunk [b, e) may execute its ordered regions
 * while turn == b. Within a chunk one member executes the iterations in order; at the chunk's end it waits for the turn
 * if no ordered region has done so, and sets turn = e (store_release, pairs with the load_acquire of the chunk at e).
 * Every iteration is in a chunk that somebody takes, so the turn reaches all of them; only in a cancelled region it may
 * not, where the wait ends early.
 *
 * Sleeping until one's turn: a member whose chunk begins at b sleeps on one of the share's words, which b chooses, so
 * that the chunk before wakes this member and few others. Whoever passes the turn to b changes that word after it
 * (cas_acqrel: another value, bit 0 clear) and wakes when bit 0 said that somebody sleeps. Who wants to sleep reads the word (load_acquire), then
 * looks at the turn, and then sets bit 0 (cas_acqrel): if the turn came before the read of the word, the look sees it;
 * if it came after, the cas fails, or the passer sees the bit.
 * So that loops in which nobody sleeps do not pay for that, the word is changed only once a member has said in
 * share.turns_slept_for that somebody sleeps. A passer may miss the first such word, since nothing orders its look at
 * it and its passing; and nobody wakes sleepers when the region is cancelled. Therefore a sleep ends after SLEEP_NS.
 * The flag is never taken back, so that a loop has such a miss but at its first sleeps.
 *
 * Called by abi/gomp_ordered.c and loop.c. Covered by test/unit/loop.c and test/conformance/ordered.
 */
#include "core/ordered.h"

#include <limits.h>

#include "core/wait.h"

enum { SLEEP_NS = 2000000 };

static inline _Atomic uint32_t *bed_of(struct ghcomp_workshare *share, uint64_t begin)
{
    /* Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4): chunks of a power of two, too, have words of
       their own. The top five bits. */
    return &share->beds[begin * UINT64_C(0x9e3779b97f4a7c15) >> 59];
}
_Static_assert(GHCOMP_ORDERED_BEDS == 1 << 5, "bed_of takes five bits");

static void sleep_until(struct ghcomp_workshare *share, uint64_t begin)
{
    _Atomic uint32_t *bed = bed_of(share, begin);
    if (!ghcomp_load_relaxed(&share->turns_slept_for))
        ghcomp_store_relaxed(&share->turns_slept_for, true);
    uint32_t word = ghcomp_load_acquire(bed);
    if (ghcomp_load_acquire(&share->turn) == begin)
        return;
    if ((word & 1u) == 0 && !ghcomp_cas_acqrel(bed, &word, word | 1u))
        return;
    ghcomp_wait_park_for(bed, word | 1u, SLEEP_NS);
}

static void wake(struct ghcomp_workshare *share, uint64_t begin)
{
    _Atomic uint32_t *bed = bed_of(share, begin);
    uint32_t word = ghcomp_load_relaxed(bed);
    while (!ghcomp_cas_acqrel(bed, &word, (word | 1u) + 1u))
        continue;
    if (word & 1u)
        ghcomp_os_wake(bed, INT_MAX);
}

void ghcomp_ordered_wait(struct ghcomp_member *self)
{
    struct ghcomp_workshare *share = self->share;
    if (!share->ordered || self->chunk_begin == self->chunk_end)
        return;
    if (ghcomp_load_acquire(&share->turn) == self->chunk_begin)
        return;
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_TURN);
    do {
        if (ghcomp_load_relaxed(&self->team->cancelled) & GHCOMP_CANCELLED_PARALLEL)
            return;
        if (!ghcomp_spin_again(&spin))
            sleep_until(share, self->chunk_begin);
    } while (ghcomp_load_acquire(&share->turn) != self->chunk_begin);
}

void ghcomp_ordered_pass(struct ghcomp_member *self)
{
    struct ghcomp_workshare *share = self->share;
    ghcomp_ordered_wait(self);
    ghcomp_store_release(&share->turn, self->chunk_end);
    if (ghcomp_unlikely(ghcomp_load_relaxed(&share->turns_slept_for)))
        wake(share, self->chunk_end);
}
