/* Doacross loops: ordered(n) with depend(source) and depend(sink).
 *
 * The iterations of the nest are numbered in their order. Each chunk of the outermost loop has a slot with the number
 * up to which its iterations are done (store_release by the chunk's member, pairs with the waiters' load_acquire). A
 * post stores its own iteration's number + 1, the end of a chunk stores the number after the chunk. So a slot's numbers
 * only grow, and an iteration without a post delays others no longer than its chunk takes.
 *
 * Slots. A chunked loop has a fixed number of slots: chunk k uses slot k modulo their number, and the member that takes
 * chunk k waits until the chunk that had the slot before is complete. The oldest incomplete chunk waits for no later
 * one, so no member waits for ever. A late waiter may find the number of a later chunk, which is correct: the slot was
 * passed on only when its chunk was complete. With a static schedule there is a slot for each member. The chunks of a
 * guided loop, and the blocks of a static one, have slots of their own, which are found by a table of the chunks' first
 * iterations: a guided loop's boundaries do not depend on which member takes which chunk, and they are few (the team's
 * size times the logarithm of the count).
 *
 * A nest of more than 2^64 iterations is numbered by as many outer loops as fit; a post then means that everything
 * before its prefix is done. Sinks then wait longer, but without deadlock: iterations before a given prefix never
 * depend on iterations with that prefix, and one member executes all iterations with the same outermost number.
 *
 * A sink in the member's own chunk is done (program order); a sink outside the loop does not exist.
 *
 * Sleeping until a post: each slot has a sleep word (sleep_word.h), so a post makes a system call only while a member
 * sleeps. (Naps would not do: once the members of a chain nap for longer than their waits last, the chain never gets
 * faster again. In simulations one time slice of another process left teams of twice as many members as CPUs in this
 * state for good, at a thousandth of their speed.)
 *
 * Called by abi/gomp/{gomp_ordered,gomp_loop,gomp_loop_ull}.c, loop.c, workshare.c. Covered by
 * test/unit/{doacross,doacross_sleep}.c and test/conformance/doacross.
 */
#include "core/worksharing/doacross.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/even.h"
#include "core/cpu/wait.h"
#include "core/sync/barrier_wait.h"
#include "core/tsan/races.h"
#include "core/worksharing/sleep_word.h"

enum { SLOTS_PER_MEMBER = 32 };

struct slot {
    _Atomic uint64_t done GHCOMP_ALIGNED;
    _Atomic uint32_t sleep_word; /* sleep_word.h */
};

struct ghcomp_doacross {
    _Atomic bool slept_for GHCOMP_ALIGNED; /* sleep_word.h; relaxed, a hint */
    /* Immutable after publication. */
    uint32_t dims GHCOMP_ALIGNED;
    uint32_t numbered;             /* leading loops that are numbered: dims, unless the nest is too large */
    uint64_t inner;                /* numbers of one outermost iteration */
    uint64_t *counts;              /* [numbered] */
    uint64_t slot_count;
    uint64_t *firsts;              /* [slot_count] first iteration of each slot's chunk; NULL when chunked */
    struct slot slots[];
};

/* Lists the first iterations of the chunks of a guided loop, or of a loop in blocks, in `firsts`, unless that is NULL.
   Returns their number. */
static uint64_t list_chunks(const struct ghcomp_workshare *share, uint32_t size, uint64_t *firsts)
{
    uint64_t chunks = 0;
    if (share->sched == GHCOMP_SCHED_GUIDED) {
        for (uint64_t begin = 0; begin < share->count; begin = ghcomp_loop_guided_end(share, size, begin)) {
            if (firsts != NULL)
                firsts[chunks] = begin;
            chunks++;
        }
        return chunks;
    }
    struct ghcomp_even even = ghcomp_even(share->count, size);
    for (; chunks < size && firsts != NULL; chunks++)
        firsts[chunks] = ghcomp_even_first(even, chunks);
    return size;
}

static struct ghcomp_doacross *make(const struct ghcomp_workshare *share, uint32_t size, uint32_t dims,
                                    const uint64_t *counts)
{
    bool listed = share->sched == GHCOMP_SCHED_GUIDED || share->chunk == 0;
    uint64_t slot_count;
    if (listed) {
        slot_count = list_chunks(share, size, NULL);
    } else if (share->sched == GHCOMP_SCHED_STATIC) {
        slot_count = size;
    } else {
        uint64_t chunks = (share->count - 1) / share->chunk + 1, most = (uint64_t)size * SLOTS_PER_MEMBER;
        slot_count = chunks < most ? chunks : most;
    }
    size_t slots_bytes = slot_count * sizeof(struct slot);
    size_t firsts_bytes = listed ? slot_count * sizeof(uint64_t) : 0;
    struct ghcomp_doacross *doacross =
        ghcomp_alloc_lines(sizeof *doacross + slots_bytes + firsts_bytes + dims * sizeof *counts);
    doacross->dims = dims;
    doacross->slot_count = slot_count;
    uint64_t *numbers = (uint64_t *)(void *)((char *)doacross->slots + slots_bytes);
    if (listed) {
        doacross->firsts = numbers;
        list_chunks(share, size, doacross->firsts);
        numbers += slot_count;
    }
    doacross->counts = numbers;
    uint64_t total = share->count;
    doacross->inner = 1;
    doacross->counts[0] = share->count;
    for (doacross->numbered = 1; doacross->numbered < dims; doacross->numbered++) {
        uint64_t count = counts[doacross->numbered];
        if (__builtin_mul_overflow(total, count, &total))
            break;
        doacross->counts[doacross->numbered] = count;
        doacross->inner *= count;
    }
    return doacross;
}

void ghcomp_doacross_enter(struct ghcomp_member *self, uint32_t dims, const uint64_t *counts,
                           struct ghcomp_loop_kind kind, void **memory)
{
    struct ghcomp_workshare *share = ghcomp_workshare_next(self);
    if (share != NULL) {
        ghcomp_loop_join(self, share, memory);
        return;
    }
    struct ghcomp_workshare *mine = ghcomp_workshare_new(self);
    kind.order = GHCOMP_LOOP_SINGLY; /* a chunk may wait for those before it */
    ghcomp_loop_fill(self, mine, ghcomp_loop_range_unsigned(true, 0, counts[0], 1), kind);
    if (self->team->size > 1 && mine->count > 0) {
        mine->doacross = make(mine, self->team->size, dims, counts);
        mine->way = GHCOMP_LOOP_SLOWLY;
        ghcomp_store_relaxed(&mine->deserted, false);
    }
    ghcomp_loop_publish(self, mine, memory);
}

void ghcomp_doacross_free(struct ghcomp_workshare *share)
{
    free(share->doacross);
    share->doacross = NULL;
}

static void sleep_until(struct ghcomp_doacross *doacross, struct slot *slot, uint64_t number)
{
    uint32_t word = ghcomp_sleep_word_load(&slot->sleep_word, &doacross->slept_for);
    if (ghcomp_load_acquire(&slot->done) < number)
        ghcomp_sleep_word_wait(&slot->sleep_word, word);
}

/* Stores a number in the member's slot, and wakes the members that sleep until it is reached. */
static inline void progress_to(struct ghcomp_member *self, const struct ghcomp_doacross *doacross, uint64_t number)
{
    struct slot *slot = self->progress;
    ghcomp_store_release(&slot->done, number);
    if (ghcomp_unlikely(ghcomp_load_relaxed(&doacross->slept_for)))
        ghcomp_sleep_word_wake(&slot->sleep_word);
}

/* Whether the slot's number may not come: a member has left a cancelled region with a chunk, or, under a static
   schedule, the slot's one has left. */
static bool is_deserted(const struct ghcomp_member *self, const struct slot *slot)
{
    struct ghcomp_workshare *share = self->share;
    return ghcomp_barrier_region_cancelled(self->team) &&
           (ghcomp_load_acquire(&share->deserted) ||
            (share->sched == GHCOMP_SCHED_STATIC &&
             ghcomp_barrier_has_left(self->team, (uint32_t)(slot - share->doacross->slots))));
}

static void wait_for(struct ghcomp_member *self, struct slot *slot, uint64_t number)
{
    if (ghcomp_load_acquire(&slot->done) >= number)
        return;
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_SINK);
    do {
        if (is_deserted(self, slot))
            return;
        if (!ghcomp_spin_again(&spin))
            sleep_until(self->share->doacross, slot, number);
    } while (ghcomp_load_acquire(&slot->done) < number);
}

static struct slot *slot_of(struct ghcomp_workshare *share, uint64_t outermost)
{
    struct ghcomp_doacross *doacross = share->doacross;
    if (doacross->firsts == NULL)
        return &doacross->slots[outermost / share->chunk % doacross->slot_count];
    uint64_t low = 0, high = doacross->slot_count; /* firsts[low] <= outermost, firsts[high] > outermost */
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (doacross->firsts[middle] <= outermost)
            low = middle;
        else
            high = middle;
    }
    return &doacross->slots[low];
}

/* The iteration's number; in a nest that is too large, the number of its prefix of the numbered loops. */
static uint64_t number_of(const struct ghcomp_doacross *doacross, const uint64_t *iteration)
{
    uint64_t number = iteration[0];
    for (uint32_t i = 1; i < doacross->numbered; i++)
        number = number * doacross->counts[i] + iteration[i];
    return number;
}

void ghcomp_doacross_begin(struct ghcomp_member *self)
{
    struct ghcomp_workshare *share = self->share;
    struct ghcomp_doacross *doacross = share->doacross;
    self->progress = slot_of(share, self->chunk_begin);
    if (doacross->firsts != NULL)
        return;
    uint64_t chunk = self->chunk_begin / share->chunk;
    if (chunk >= doacross->slot_count)
        wait_for(self, self->progress, (chunk - doacross->slot_count + 1) * share->chunk * doacross->inner);
}

/* Completes the chunk, unless the post of its last iteration has done so: then the slot may belong to another chunk by
   now, and its number must not decrease. Until a chunk is complete, only its member writes the slot. */
void ghcomp_doacross_complete(struct ghcomp_member *self)
{
    uint64_t end = self->chunk_end * self->share->doacross->inner;
    struct slot *slot = self->progress;
    if (ghcomp_load_relaxed(&slot->done) < end)
        progress_to(self, self->share->doacross, end);
}

uint32_t ghcomp_doacross_dims(const struct ghcomp_member *self)
{
    const struct ghcomp_doacross *doacross = self->share->doacross;
    return doacross != NULL && self->chunk_begin != self->chunk_end ? doacross->dims : 0;
}

void ghcomp_doacross_post(struct ghcomp_member *self, const uint64_t *iteration)
{
    const struct ghcomp_doacross *doacross = self->share->doacross;
    uint64_t number = number_of(doacross, iteration);
    uint32_t observers = ghcomp_observers_now();
    if (ghcomp_races_on(observers))
        ghcomp_races_release_slow(ghcomp_races_point(doacross, number));
    progress_to(self, doacross, number + (doacross->numbered == doacross->dims));
}

void ghcomp_doacross_wait(struct ghcomp_member *self, const uint64_t *iteration)
{
    struct ghcomp_workshare *share = self->share;
    uint64_t outermost = iteration[0];
    if (outermost >= share->count || (outermost >= self->chunk_begin && outermost < self->chunk_end))
        return;
    uint64_t number = number_of(share->doacross, iteration);
    wait_for(self, slot_of(share, outermost), number + 1);
    uint32_t observers = ghcomp_observers_now();
    if (ghcomp_races_on(observers))
        ghcomp_races_acquire_slow(ghcomp_races_point(share->doacross, number));
}
