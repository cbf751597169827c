/* Dynamic and guided loops whose chunks may come in any order (the nonmonotonic modifier, which is the default of these
 * schedules; OpenMP 5.2, section 11.5.3), by work stealing: a member that takes a chunk writes nothing that the others
 * write, too.
 *
 * The loop's chunks, all but the last one, are divided as in a static schedule: each member has a *part*, a word on a
 * line of its own. A member takes chunks from the front of its part. When that is empty it steals the back half of
 * another member's part, makes this its own part, and goes on. So the part of a member that comes late, or never, is
 * taken by the others. Members take whole chunks, at the places where a shared counter would have put them.
 *
 *   - A part is its word: (first, past). The number of a chunk is in one word at most, since the changes are
 *       the owner, from the front:       (first, past) -> (first + 1, past) by an addition (dynamic), or
 *                                        (first, past) -> (first + n, past) by cas (guided),
 *       a thief, from the back:          (first, past) -> (first, middle) by cas of a word that is not empty; the
 *                                        chunks from middle on are the thief's,
 *       a thief, into its own part:      a store, over a word that is empty.
 *     A cas that succeeds does so because the word says what the thief believes, whatever happened in between. The
 *     owner's addition takes a chunk only if the word before it was not empty. Only the owner writes into an empty
 *     word, so its store overwrites nothing. All of this is relaxed: what matters is the order of the changes of one
 *     word, and the loop does not order the bodies of different iterations. The parts as they were at first are
 *     published with the share (workshare.c), and stay until each member has entered another share.
 *   - The owner's addition may find the part empty again and again, and adds nevertheless. The slow path sets the word
 *     to 0 each time, so it does not overflow.
 *   - The *last* chunk of the loop is in no part. A member that finds all parts empty asks for it by an exchange of
 *     share.last_taken; one member gets it. A member that comes later sees it taken, and looks at no part any more.
 *     GCC's code needs this: for lastprivate a thread that has been told that there are no more chunks tests whether
 *     the loop variable is the loop's end, that is, whether the last chunk was the *thread's* last. It is, because a
 *     thread that has taken the last chunk had an empty part and gets nothing after it.
 *   - Between a thief's cas and its store the chunks are in no word, and others may find that nothing is left and
 *     leave. Nothing is lost by that: the thief has the chunks, and does not look at last_taken before its part is
 *     empty.
 *
 * A thief looks at the parts of the members after it, in a circle, until it has seen ENOUGH that are not empty, and
 * steals from the largest. So the look is long only when little is left, and then last_taken ends it for the others.
 *
 * Guided: a member takes half of its own part, at least one chunk. With parts of equal length that is half of what is
 * left divided by the team's size.
 *
 * What keeps the shared counter:
 *   - a short loop, of fewer than WORTH chunks a member: dividing the loop into parts costs a cache line for each
 *     member, and looking for what is left another. (A trial on two cores, empty bodies: the same at 32 chunks, for two
 *     threads.)
 *   - a guided loop of a team of fewer than MANY, or of more threads than CPUs: a member comes to the counter
 *     log(count) times, not count times. (A trial on two cores: twice as fast at 33 iterations, equal at 10,000.)
 *
 * Cancellation: share.cancelled is read before each chunk (cancel.c).
 *
 * Called by loop.c and loop.h. Covered by test/unit/{loop,loop_parts}.c, test/conformance/{for,cancel}.
 */
#include "core/worksharing/loop_parts.h"

#include <stdlib.h>

#include "base/check.h"
#include "core/cpu/wait.h"

enum { WORTH = 16, MANY = 8, ENOUGH = 4 };

static inline uint64_t word_of(uint64_t first, uint64_t past)
{
    return first << 32 | past;
}

static inline uint64_t first_of(uint64_t word)
{
    return word >> 32;
}

static inline uint64_t past_of(uint64_t word)
{
    return (uint32_t)word;
}

static inline uint64_t left_in(uint64_t word)
{
    return first_of(word) < past_of(word) ? past_of(word) - first_of(word) : 0;
}

void ghcomp_loop_parts_fill(struct ghcomp_workshare *share, uint32_t size)
{
    if (size == 1 || share->count == 0)
        return;
    if (share->sched == GHCOMP_SCHED_GUIDED && (size < MANY || size > ghcomp_wait.cpus))
        return;
    uint64_t before_last = share->chunk == 1 ? share->count - 1 : (share->count - 1) / share->chunk;
    if (before_last < (uint64_t)size * WORTH || before_last > INT32_MAX)
        return;
    if (share->parts_capacity < size) {
        free(share->parts);
        share->parts = ghcomp_alloc_lines(size * sizeof *share->parts);
        share->parts_capacity = size;
    }
    uint64_t each = before_last / size, more = before_last % size, first = 0;
    for (uint32_t i = 0; i < size; i++) {
        uint64_t past = first + each + (i < more);
        ghcomp_store_relaxed(&share->parts[i].word, word_of(first, past));
        first = past;
    }
    ghcomp_store_relaxed(&share->last_taken, false);
    share->way = GHCOMP_LOOP_IN_PARTS;
}

/* Chunks [first, past), none of which is the loop's last. */
static bool got(struct ghcomp_member *self, uint64_t first, uint64_t past)
{
    self->chunk_begin = first * self->share->chunk;
    self->chunk_end = past * self->share->chunk;
    return true;
}

/* How many chunks a member takes at once from the front of its part, which has `left` > 0. */
static inline uint64_t bite(const struct ghcomp_workshare *share, uint64_t left)
{
    return share->sched == GHCOMP_SCHED_GUIDED ? left - left / 2 : 1;
}

/* From the front of its own part, in a guided loop; false when that is empty. */
static bool take_half(struct ghcomp_member *self, struct ghcomp_workshare *share)
{
    struct ghcomp_loop_part *part = &share->parts[self->tid];
    uint64_t word = ghcomp_load_relaxed(&part->word), left, first;
    do {
        if ((left = left_in(word)) == 0)
            return false;
        first = first_of(word) + bite(share, left);
    } while (!ghcomp_cas_weak_relaxed(&part->word, &word, word_of(first, past_of(word))));
    return got(self, first_of(word), first);
}

/* The member to steal from and, in *word, its part; or the team's size when all parts are empty. */
static uint32_t find_victim(const struct ghcomp_member *self, struct ghcomp_workshare *share, uint64_t *word)
{
    uint32_t size = self->team->size, victim = size, seen = 0;
    uint64_t most = 0;
    for (uint32_t i = 1, other = self->tid; i < size && seen < ENOUGH; i++) {
        other = other + 1 == size ? 0 : other + 1;
        uint64_t its = ghcomp_load_relaxed(&share->parts[other].word), left = left_in(its);
        if (left > most) {
            most = left;
            victim = other;
            *word = its;
        }
        seen += left > 0;
        if (left == 0 && ghcomp_load_relaxed(&share->last_taken))
            break;
    }
    return victim;
}

/* The back half of another member's part becomes the member's own, and its first chunks are taken. False: nothing was
   left. */
static bool steal(struct ghcomp_member *self, struct ghcomp_workshare *share)
{
    uint64_t word = 0;
    uint32_t victim;
    while ((victim = find_victim(self, share, &word)) != self->team->size) {
        uint64_t left = left_in(word), middle = first_of(word) + left / 2, past = past_of(word);
        if (!ghcomp_cas_relaxed(&share->parts[victim].word, &word, word_of(first_of(word), middle)))
            continue;
        uint64_t first = middle + bite(share, past - middle);
        ghcomp_store_relaxed(&share->parts[self->tid].word, word_of(first, past));
        return got(self, middle, first);
    }
    return false;
}

static bool take_last(struct ghcomp_member *self, struct ghcomp_workshare *share)
{
    if (ghcomp_xchg_relaxed(&share->last_taken, true))
        return false;
    self->chunk_begin = (share->count - 1) / share->chunk * share->chunk;
    self->chunk_end = share->count;
    return true;
}

bool ghcomp_loop_parts_next(struct ghcomp_member *self)
{
    struct ghcomp_workshare *share = self->share;
    uint64_t begin;
    if (ghcomp_loop_parts_take(self, share, &begin)) {
        self->chunk_begin = begin;
        self->chunk_end = begin + share->chunk;
        return true;
    }
    if (!ghcomp_load_relaxed(&share->cancelled)) {
        if (share->sched == GHCOMP_SCHED_GUIDED && take_half(self, share))
            return true;
        ghcomp_store_relaxed(&share->parts[self->tid].word, UINT64_C(0));
        if (!ghcomp_load_relaxed(&share->last_taken) && (steal(self, share) || take_last(self, share)))
            return true;
    }
    self->chunk_begin = self->chunk_end = 0;
    return false;
}
