/* Ordered regions: chunks take turns in the order of their iterations.
 *
 * share.turn is the first iteration of the chunk whose turn it is, so the chunk [b, e) may execute its ordered regions
 * while turn == b. Within a chunk one member executes the iterations in order. At the chunk's end it waits for the turn
 * if no ordered region has done so, and sets turn = e (store_release, pairs with the load_acquire of the chunk at e).
 * Some member takes the chunk of each iteration, so the turn reaches all of them, except in a cancelled region: there
 * the wait ends early where the member whose turn it is has left. The turn is passed on when the member asks for its
 * next chunk (ghcomp_loop_next_slow), as in libgomp; in clang's code at the end of the chunk's last ordered region
 * (kmp_ordered.c), as in libomp.
 *
 * Sleeping until one's turn: a member whose chunk begins at b sleeps on one of the share's sleep words, which b's chunk
 * selects. So the chunk before wakes this member and, in teams larger than the number of sleep words, few others. The
 * protocol is in sleep_word.h; its flag is share.turns_slept_for. A word's value from an earlier loop does no harm.
 *
 * Why members sleep: with more threads than CPUs the turn goes round all of them. As long as that takes less than the
 * waits' budget, yields pass the turn on fastest. Beyond it, the yields of all waiting threads delay the thread whose
 * turn it is, and a nap (wait.h) is longer than a round.
 *
 * A member in Haskell repeats brief waits, and checks for cancellation between them.
 *
 * Called by abi/{gomp/gomp_ordered,kmp/kmp_ordered}.c, haskell/construct.c and loop.c. Covered by
 * test/unit/{ordered,loop,cancel}.c, test/conformance/ordered, test/clang/ordered_overlap.c and
 * test/hs/library/OrderedTest.hs.
 */
#include "core/worksharing/ordered.h"

#include "base/check.h"
#include "base/even.h"
#include "core/cpu/wait.h"
#include "core/cpu/wait_settings.h"
#include "core/sync/barrier_wait.h"
#include "core/worksharing/sleep_word.h"

void ghcomp_ordered_fill(struct ghcomp_workshare *share)
{
    ghcomp_store_relaxed(&share->turn, 0u);
    ghcomp_store_relaxed(&share->turns_slept_for, false);
    ghcomp_store_relaxed(&share->deserted, false);
    if (share->sleep_words == NULL)
        share->sleep_words = ghcomp_alloc_lines(GHCOMP_ORDERED_SLEEP_WORDS * sizeof *share->sleep_words);
}

static inline _Atomic uint32_t *sleep_word_of(struct ghcomp_workshare *share, uint64_t begin)
{
    uint64_t chunk = share->chunk > 0 ? share->chunk : 1;
    return &share->sleep_words[begin / chunk % GHCOMP_ORDERED_SLEEP_WORDS];
}

static void sleep_until(struct ghcomp_workshare *share, uint64_t begin)
{
    _Atomic uint32_t *sleep_word = sleep_word_of(share, begin);
    uint32_t word = ghcomp_sleep_word_load(sleep_word, &share->turns_slept_for);
    if (ghcomp_load_acquire(&share->turn) != begin)
        ghcomp_sleep_word_wait(sleep_word, word);
}

bool ghcomp_ordered_due(const struct ghcomp_member *self)
{
    struct ghcomp_workshare *share = self->share;
    return !share->ordered || self->chunk_begin == self->chunk_end ||
           ghcomp_load_acquire(&share->turn) == self->chunk_begin;
}

/* The member that a static schedule gives the iteration to. */
static uint32_t owner_of(const struct ghcomp_workshare *share, uint32_t size, uint64_t iteration)
{
    if (share->chunk != 0)
        return (uint32_t)(iteration / share->chunk % size);
    return (uint32_t)ghcomp_even_part_of(ghcomp_even(share->count, size), iteration);
}

/* Whether the turn may not come: the member that has the iteration whose turn it is has left a cancelled region, with
   a chunk, or, where the schedule gives it that iteration, without. */
static bool is_deserted(const struct ghcomp_member *self, struct ghcomp_workshare *share)
{
    struct ghcomp_team *team = self->team;
    if (!ghcomp_barrier_region_cancelled(team))
        return false;
    uint64_t turn = ghcomp_load_relaxed(&share->turn);
    return ghcomp_load_acquire(&share->deserted) ||
           (share->sched == GHCOMP_SCHED_STATIC && turn < share->count &&
            ghcomp_barrier_has_left(team, owner_of(share, team->size, turn)));
}

void ghcomp_ordered_wait(struct ghcomp_member *self)
{
    if (ghcomp_ordered_due(self))
        return;
    struct ghcomp_workshare *share = self->share;
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_TURN);
    do {
        if (is_deserted(self, share))
            return;
        if (!ghcomp_spin_again(&spin))
            sleep_until(share, self->chunk_begin);
    } while (ghcomp_load_acquire(&share->turn) != self->chunk_begin);
}

bool ghcomp_ordered_wait_briefly(struct ghcomp_member *self, bool again)
{
    enum { TICKS = GHCOMP_SLEEP_WORD_NS / 1000 * GHCOMP_TICKS_PER_US };
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_TURN);
    uint64_t begin = ghcomp_cpu_ticks();
    bool sleeps = again && ghcomp_wait_policy_is_default();
    while (!ghcomp_ordered_due(self) && (sleeps || ghcomp_cpu_ticks() - begin < TICKS)) {
        if (ghcomp_load_relaxed(&self->team->cancelled) & GHCOMP_CANCELLED_PARALLEL)
            break;
        if (sleeps || !ghcomp_spin_again(&spin)) {
            sleep_until(self->share, self->chunk_begin);
            break;
        }
    }
    return ghcomp_ordered_due(self);
}

void ghcomp_ordered_pass(struct ghcomp_member *self)
{
    struct ghcomp_workshare *share = self->share;
    ghcomp_ordered_wait(self);
    ghcomp_store_release(&share->turn, self->chunk_end);
    if (ghcomp_unlikely(ghcomp_load_relaxed(&share->turns_slept_for)))
        ghcomp_sleep_word_wake(sleep_word_of(share, self->chunk_end));
}
