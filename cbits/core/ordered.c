/* Ordered regions: chunks take turns in the order of their iterations.
 *
 * share.turn is the first iteration of the chunk whose turn it is, so the chunk [b, e) may execute its ordered regions
 * while turn == b. Within a chunk one member executes the iterations in order; at the chunk's end it waits for the turn
 * if no ordered region has done so, and sets turn = e (store_release, pairs with the load_acquire of the chunk at e).
 * Every iteration is in a chunk that somebody takes, so the turn reaches all of them; only in a cancelled region it may
 * not, where the wait ends early.
 *
 * Called by abi/gomp_ordered.c and loop.c. Covered by test/unit/loop.c and test/conformance/ordered.
 */
#include "core/ordered.h"

#include "core/wait.h"

void ghcomp_ordered_wait(struct ghcomp_member *self)
{
    struct ghcomp_workshare *share = self->share;
    if (!share->ordered || self->chunk_begin == self->chunk_end)
        return;
    if (ghcomp_load_acquire(&share->turn) == self->chunk_begin)
        return;
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_POST);
    do {
        if (ghcomp_load_relaxed(&self->team->cancelled) & GHCOMP_CANCELLED_PARALLEL)
            return;
        ghcomp_spin_again(&spin);
    } while (ghcomp_load_acquire(&share->turn) != self->chunk_begin);
}

void ghcomp_ordered_pass(struct ghcomp_member *self)
{
    ghcomp_ordered_wait(self);
    ghcomp_store_release(&self->share->turn, self->chunk_end);
}
