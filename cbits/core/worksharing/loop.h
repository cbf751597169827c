/* Worksharing loops over normalised iterations. Protocol in loop.c.
 *
 * A loop of `long` or `unsigned long long` is a range of iterations 0 .. count-1. The value of iteration k is
 * start + k * increment in wrapping 64-bit arithmetic. Both types have the same bits, so one code serves both. A count
 * is at most 2^64 - 1, since a loop's end is not an iteration.
 */
#pragma once

#include "core/cpu/yield_to_haskell.h"
#include "core/worksharing/loop_run.h"
#include "core/worksharing/workshare.h"

struct ghcomp_loop_range {
    uint64_t start, end, increment;
    uint64_t span;                 /* distance from start to end, 0 when there is no iteration */
    uint64_t step;                 /* the increment's absolute value */
};

/* The clauses of the loop construct. */
struct ghcomp_loop_kind {
    int sched;                     /* enum ghcomp_sched, or GHCOMP_LOOP_RUNTIME* */
    uint64_t chunk;                /* 0: the schedule's default */
    int order;                     /* enum ghcomp_loop_order */
};
/* run-sched-var decides; COMBINED: of a construct that is combined with parallel, in gcc's code. */
enum { GHCOMP_LOOP_RUNTIME = 0, GHCOMP_LOOP_RUNTIME_COMBINED = -1 };
enum ghcomp_loop_order {
    GHCOMP_LOOP_RISING,            /* a member's iterations rise; it may take several chunks at once (a run) */
    GHCOMP_LOOP_SINGLY,            /* they rise, and a member takes one chunk at a time, because a chunk may wait for
                                      another one, even the next */
    GHCOMP_LOOP_ORDERED            /* the same, and the loop has ordered regions */
};

static inline struct ghcomp_loop_range ghcomp_loop_range_signed(int64_t start, int64_t end, int64_t increment)
{
    uint64_t from = (uint64_t)start, to = (uint64_t)end, by = (uint64_t)increment;
    if (increment >= 0)
        return (struct ghcomp_loop_range){from, to, by, start < end ? to - from : 0, by};
    return (struct ghcomp_loop_range){from, to, by, start > end ? from - to : 0, -by};
}

static inline struct ghcomp_loop_range ghcomp_loop_range_unsigned(bool up, uint64_t start, uint64_t end,
                                                                  uint64_t increment)
{
    if (up)
        return (struct ghcomp_loop_range){start, end, increment, start < end ? end - start : 0, increment};
    return (struct ghcomp_loop_range){start, end, increment, start > end ? start - end : 0, -increment};
}

/* Ends the program because of a loop with the increment 0. */
void ghcomp_loop_stands(void) __attribute__((noreturn, cold));

static inline uint64_t ghcomp_loop_count(const struct ghcomp_loop_range *range)
{
    if (ghcomp_unlikely(range->step == 0) && range->span != 0)
        ghcomp_loop_stands();
    return range->span == 0 || range->step == 1 ? range->span : (range->span - 1) / range->step + 1;
}

/* Writes the loop into a share that is the caller's alone, for a team of self's size. */
void ghcomp_loop_fill(struct ghcomp_member *self, struct ghcomp_workshare *share, struct ghcomp_loop_range range,
                      struct ghcomp_loop_kind kind);

/* The end of a guided loop's chunk that begins at `begin` (less than count). */
static inline uint64_t ghcomp_loop_guided_end(const struct ghcomp_workshare *share, uint32_t size, uint64_t begin)
{
    uint64_t left = share->count - begin;
    uint64_t chunk = left / size + (left % size != 0);
    if (chunk < share->chunk)
        chunk = share->chunk;
    return begin + (chunk < left ? chunk : left);
}

/* Called by a member that has entered the share of a construct: it has no chunk yet. */
static inline void ghcomp_loop_begin(struct ghcomp_member *self)
{
    self->chunk_begin = self->chunk_end = self->chunk_count = self->run_past = 0;
}

/* Enters the construct of a share that another member has published. `memory`, when not NULL, receives the address of
   the share's memory. */
static inline void ghcomp_loop_join(struct ghcomp_member *self, struct ghcomp_workshare *share, void **memory)
{
    ghcomp_workshare_enter(self, share);
    ghcomp_loop_begin(self);
    if (memory != NULL)
        *memory = share->memory;
}

/* Publishes the member's share and enters the construct, with another member's share if that was published first.
   `memory`, when not NULL, points to the size of the memory that the construct wants, and receives its address. */
static inline void ghcomp_loop_publish(struct ghcomp_member *self, struct ghcomp_workshare *mine, void **memory)
{
    if (memory != NULL)
        ghcomp_workshare_memory(mine, (size_t)(uintptr_t)*memory);
    bool first;
    ghcomp_loop_join(self, ghcomp_workshare_publish(self, mine, &first), memory);
}

/* Enters the loop; fills in and publishes a share if no other member has done so. Chunks come from ghcomp_loop_next.
   `memory`, when not NULL, points to a size, and receives the address of as much zeroed memory of the team. */
void ghcomp_loop_enter(struct ghcomp_member *self, struct ghcomp_loop_range range, struct ghcomp_loop_kind kind,
                       void **memory);

bool ghcomp_loop_next_slow(struct ghcomp_member *self);

/* The part of the member's run that it has not begun. Empty in loops without runs, where run_past is 0. */
struct ghcomp_loop_rest {
    uint64_t next, past;
};

static inline struct ghcomp_loop_rest ghcomp_loop_run_rest(const struct ghcomp_member *self)
{
    return (struct ghcomp_loop_rest){self->run_next, self->run_past};
}

static inline bool ghcomp_loop_run_has_chunk(struct ghcomp_loop_rest rest, const struct ghcomp_workshare *share)
{
    return rest.next < rest.past && !ghcomp_unlikely(ghcomp_load_relaxed(&share->cancelled));
}

/* Takes the next chunk of the run. run_next gets a store of its own, because the load of it for the next chunk would
   wait for a wider store. */
static inline void ghcomp_loop_run_take(struct ghcomp_member *self, const struct ghcomp_workshare *share,
                                        struct ghcomp_loop_rest rest)
{
    uint64_t end = rest.next + share->chunk;
    end = end < rest.past ? end : rest.past;
    self->run_next = end;
    self->chunk_begin = rest.next;
    __asm__("" : : "m"(self->chunk_begin)); /* gcc joins this store and the next in a vector register otherwise */
    self->chunk_end = end;
}

/* Takes the member's next chunk into [self->chunk_begin, self->chunk_end); false, and an empty chunk, at the end. */
static inline bool ghcomp_loop_next(struct ghcomp_member *self)
{
    struct ghcomp_workshare *share = self->share;
    ghcomp_yield_to_haskell(self);
    struct ghcomp_loop_rest rest = ghcomp_loop_run_rest(self);
    if (ghcomp_loop_run_has_chunk(rest, share)) {
        ghcomp_loop_run_take(self, share, rest);
        return true;
    }
    if (ghcomp_unlikely(share->way != GHCOMP_LOOP_BY_COUNTER))
        return ghcomp_loop_next_slow(self);
    uint64_t begin = ghcomp_add_relaxed(&share->taken, share->chunk);
    if (ghcomp_unlikely(begin >= share->count)) {
        self->chunk_begin = self->chunk_end = 0;
        return false;
    }
    uint64_t left = share->count - begin;
    self->chunk_begin = begin;
    self->chunk_end = begin + (left < share->chunk ? left : share->chunk);
    return true;
}

/* The chunk's bounds as the loop's values. The last chunk ends at the loop's own end: start + count * increment may be
   more than the type holds. */
static inline uint64_t ghcomp_loop_first(const struct ghcomp_member *self)
{
    const struct ghcomp_workshare *share = self->share;
    return share->start + self->chunk_begin * share->increment;
}

static inline uint64_t ghcomp_loop_past(const struct ghcomp_member *self)
{
    const struct ghcomp_workshare *share = self->share;
    return self->chunk_end == share->count ? share->end : share->start + self->chunk_end * share->increment;
}

/* The fast path of the entries of compiled loops: a chunk, and its bounds as the loop's values. There is as little work
   as possible for each chunk. */
enum ghcomp_loop_quick { GHCOMP_LOOP_END, GHCOMP_LOOP_CHUNK, GHCOMP_LOOP_ASK };  /* ASK: call ghcomp_loop_next */

static inline enum ghcomp_loop_quick ghcomp_loop_got(const struct ghcomp_member *self, uint64_t *first, uint64_t *past)
{
    const struct ghcomp_workshare *share = self->share;
    if (ghcomp_likely(share->increment == 1)) {
        *first = share->start + self->chunk_begin;
        *past = share->start + self->chunk_end;
    } else {
        *first = ghcomp_loop_first(self);
        *past = ghcomp_loop_past(self);
    }
    return GHCOMP_LOOP_CHUNK;
}

/* Gives the member the next chunk of its run, in a loop by runs. */
static inline enum ghcomp_loop_quick ghcomp_loop_next_in_run(struct ghcomp_member *self, uint64_t *first,
                                                             uint64_t *past)
{
    const struct ghcomp_workshare *share = self->share;
    struct ghcomp_loop_rest rest = ghcomp_loop_run_rest(self);
    if (!ghcomp_loop_run_has_chunk(rest, share) || ghcomp_unlikely(ghcomp_load_relaxed(&ghcomp_cpu_account_shared)))
        return GHCOMP_LOOP_ASK;
    ghcomp_loop_run_take(self, share, rest);
    return ghcomp_loop_got(self, first, past);
}

/* Gives the member a chunk by an addition to share.taken, in a loop by counter. */
static inline enum ghcomp_loop_quick ghcomp_loop_next_counted(struct ghcomp_member *self, uint64_t *first,
                                                              uint64_t *past)
{
    struct ghcomp_workshare *share = self->share;
    uint64_t chunk = share->chunk, count = share->count;
    if (share->way != GHCOMP_LOOP_BY_COUNTER || ghcomp_unlikely(ghcomp_load_relaxed(&ghcomp_cpu_account_shared)))
        return GHCOMP_LOOP_ASK;
    uint64_t begin = ghcomp_add_relaxed(&share->taken, chunk), end = begin + chunk;
    if (ghcomp_unlikely(end > count)) {
        if (begin >= count) {
            self->chunk_begin = self->chunk_end = 0;
            return GHCOMP_LOOP_END;
        }
        end = count;
    }
    self->chunk_begin = begin;
    self->chunk_end = end;
    return ghcomp_loop_got(self, first, past);
}

/* Called when the member has left the construct: drops the chunk that a cancelled construct may have left. */
static inline void ghcomp_loop_leave(struct ghcomp_member *self)
{
    self->chunk_begin = self->chunk_end = self->run_past = 0;
}
