/* Worksharing loops: which member executes which iterations.
 *
 * The member that publishes the loop's share (workshare.h) normalises the loop and settles its schedule; the others
 * only read.
 *
 *   static    without a chunk: blocks of count / size iterations, one more for the first count % size members, which is
 *             how GCC divides the loops that it compiles without the runtime. With a chunk: chunk k is for member
 *             k % size.
 *   dynamic   an addition to share.taken. A member that finds the loop at its end has added a chunk too many, once.
 *             `careful` loops, where the counter could wrap around by that, use cas. In a loop by runs a member may
 *             take several chunks by one addition (loop_run.h): [run_next, run_past) are those that it has not begun.
 *             Only the member takes chunks from its run, so its iterations rise, and a thread that has executed the end
 *             of the loop gets no further chunk, on which GCC's lastprivate relies.
 *   guided    cas: the rest divided by the team's size, but at least a chunk. The boundaries do not depend on which
 *             member takes which chunk; doacross.c uses that.
 *
 * A member's iterations rise under every schedule, with the nonmonotonic modifier, too: programs rely on it, since
 * libgomp has no other order (docs/internals/adr/0026-a-threads-iterations-rise.md). A team of one gets the whole loop
 * as one block under any schedule.
 *
 * Between two chunks an ordered loop passes the turn on (ordered.c), and a doacross loop posts that the chunk is
 * complete (doacross.c). Such loops have no runs: a chunk may wait for another, which would be held up in a run. A
 * cancelled loop has no more chunks (cancel.c); what is left of a run is dropped.
 *
 * Called by abi/gomp/{gomp_loop,gomp_loop_ull}.c, sections.c, doacross.c, haskell/construct.c; the ranges of loop.h
 * also by taskloop.c. Covered by test/unit/{loop,loop_run}.c, test/conformance/for.
 */
#include "core/worksharing/loop.h"

#include "base/check.h"
#include "base/even.h"
#include "core/cpu/wait.h"
#include "core/worksharing/doacross.h"
#include "core/worksharing/ordered.h"

enum { WORTH_RUNS = 16 };

/* Resolves schedule(runtime) by the ICV of the member that publishes; by OpenMP's rules the other members' ICVs are the
   same. */
static struct ghcomp_loop_kind settle(struct ghcomp_member *self, struct ghcomp_loop_kind kind)
{
    bool combined = kind.sched == GHCOMP_LOOP_RUNTIME_COMBINED;
    if (combined || kind.sched == GHCOMP_LOOP_RUNTIME) {
        const struct ghcomp_icvs *icv = self->task->icv;
        kind.sched = icv->sched & ~(int)GHCOMP_SCHED_MONOTONIC;
        kind.chunk = icv->sched_chunk > 0 ? (uint64_t)icv->sched_chunk : 0;
        if (kind.sched == GHCOMP_SCHED_TRAPEZOIDAL)
            kind.sched = GHCOMP_SCHED_GUIDED;
    }
    if (kind.sched == GHCOMP_SCHED_AUTO) { /* as on libgomp: blocks, or the chunk size of the last other schedule */
        kind.sched = GHCOMP_SCHED_STATIC;
        kind.chunk = combined ? kind.chunk : 0;
    }
    return self->team->size == 1 ? (struct ghcomp_loop_kind){GHCOMP_SCHED_STATIC, 0, kind.order} : kind;
}

void ghcomp_loop_stands(void)
{
    ghcomp_fatal("a loop of a worksharing or taskloop construct has the increment 0; make it positive or negative");
}

/* Whether chunks are handed out by runs. False for short loops, whose runs would have one chunk, and for loops so long
   that additions past the end might wrap around. */
static bool worth_runs(const struct ghcomp_member *self, struct ghcomp_workshare *share, struct ghcomp_loop_kind kind)
{
    uint32_t size = self->team->size, running = size < ghcomp_cpu_load.cpus ? size : ghcomp_cpu_load.cpus;
    share->run_part = (uint8_t)ghcomp_loop_run_part(running);
    return kind.order == GHCOMP_LOOP_RISING && share->count >> 40 == 0 &&
           share->count / share->chunk >= (uint64_t)size * WORTH_RUNS;
}

void ghcomp_loop_fill(struct ghcomp_member *self, struct ghcomp_workshare *share, struct ghcomp_loop_range range,
                      struct ghcomp_loop_kind kind)
{
    kind = settle(self, kind);
    uint64_t count = ghcomp_loop_count(&range);
    uint64_t chunk = kind.chunk;
    if (kind.sched != GHCOMP_SCHED_STATIC && chunk == 0)
        chunk = 1;
    if (chunk > count)
        chunk = count > 0 ? count : 1; /* 0 only for the blocks of a static loop */
    share->start = range.start;
    share->end = range.end;
    share->increment = range.increment;
    share->count = count;
    share->chunk = chunk;
    share->sched = kind.sched;
    share->ordered = kind.order == GHCOMP_LOOP_ORDERED && self->team->size > 1;
    if (share->ordered)
        ghcomp_ordered_fill(share);
    uint64_t excess, furthest;
    share->careful = __builtin_mul_overflow(chunk, (uint64_t)self->team->size, &excess) ||
                     __builtin_add_overflow(count, excess, &furthest);
    bool plain = kind.sched == GHCOMP_SCHED_DYNAMIC && !share->ordered && !share->careful;
    share->way = !plain ? GHCOMP_LOOP_SLOWLY : worth_runs(self, share, kind) ? GHCOMP_LOOP_BY_RUNS
                                                                            : GHCOMP_LOOP_BY_COUNTER;
}

void ghcomp_loop_enter(struct ghcomp_member *self, struct ghcomp_loop_range range, struct ghcomp_loop_kind kind,
                       void **memory)
{
    struct ghcomp_workshare *share = ghcomp_workshare_next(self);
    if (share != NULL) {
        ghcomp_loop_join(self, share, memory);
        return;
    }
    struct ghcomp_workshare *mine = ghcomp_workshare_new(self);
    ghcomp_loop_fill(self, mine, range, kind);
    ghcomp_loop_publish(self, mine, memory);
}

/* Gives the member its block of a static loop without a chunk size. False: it has had it. */
static bool next_block(struct ghcomp_member *self, const struct ghcomp_workshare *share)
{
    if (self->chunk_count++ != 0)
        return false;
    struct ghcomp_even even = ghcomp_even(share->count, self->team->size);
    self->chunk_begin = ghcomp_even_first(even, self->tid);
    self->chunk_end = self->chunk_begin + ghcomp_even_length(even, self->tid);
    return self->chunk_begin < self->chunk_end;
}

static bool next_static(struct ghcomp_member *self, const struct ghcomp_workshare *share)
{
    if (share->chunk == 0)
        return next_block(self, share);
    uint64_t number, begin;
    if (__builtin_mul_overflow(self->chunk_count, (uint64_t)self->team->size, &number) ||
        __builtin_add_overflow(number, (uint64_t)self->tid, &number) ||
        __builtin_mul_overflow(number, share->chunk, &begin) || begin >= share->count)
        return false;
    uint64_t left = share->count - begin;
    self->chunk_count++;
    self->chunk_begin = begin;
    self->chunk_end = begin + (left < share->chunk ? left : share->chunk);
    return true;
}

static bool next_dynamic(struct ghcomp_member *self, struct ghcomp_workshare *share)
{
    uint64_t begin, chunk = share->chunk;
    if (share->careful) {
        begin = ghcomp_load_relaxed(&share->taken);
        do {
            if (begin >= share->count)
                return false;
            uint64_t left = share->count - begin;
            chunk = left < share->chunk ? left : share->chunk;
        } while (!ghcomp_cas_weak_relaxed(&share->taken, &begin, begin + chunk));
    } else {
        begin = ghcomp_add_relaxed(&share->taken, chunk);
        if (begin >= share->count)
            return false;
        uint64_t left = share->count - begin;
        chunk = left < chunk ? left : chunk;
    }
    self->chunk_begin = begin;
    self->chunk_end = begin + chunk;
    return true;
}

/* Takes a run; false when nothing is left. The clock is read on both sides of the addition, which may have to wait. */
static bool take_run(struct ghcomp_member *self, struct ghcomp_workshare *share)
{
    uint64_t now = ghcomp_cpu_ticks();
    struct ghcomp_loop_run last = {self->chunk_count, now - self->run_at, self->run_took};
    uint64_t run = ghcomp_loop_run_chunks(last, share->count - self->run_past, share->chunk, share->run_part);
    uint64_t begin = ghcomp_add_relaxed(&share->taken, run * share->chunk);
    if (begin >= share->count)
        return false;
    uint64_t left = share->count - begin;
    self->run_next = begin;
    self->run_past = begin + (left < run * share->chunk ? left : run * share->chunk);
    self->chunk_count = run;
    self->run_at = ghcomp_cpu_ticks();
    self->run_took = self->run_at - now;
    return true;
}

static bool next_by_run(struct ghcomp_member *self, struct ghcomp_workshare *share)
{
    if (ghcomp_load_relaxed(&share->cancelled) || (self->run_next >= self->run_past && !take_run(self, share))) {
        self->chunk_begin = self->chunk_end = self->run_next = self->run_past = 0;
        return false;
    }
    ghcomp_loop_run_take(self, share, ghcomp_loop_run_rest(self));
    return true;
}

static bool next_guided(struct ghcomp_member *self, struct ghcomp_workshare *share)
{
    uint64_t begin = ghcomp_load_relaxed(&share->taken), end;
    do {
        if (begin >= share->count)
            return false;
        end = ghcomp_loop_guided_end(share, self->team->size, begin);
    } while (!ghcomp_cas_weak_relaxed(&share->taken, &begin, end));
    self->chunk_begin = begin;
    self->chunk_end = end;
    return true;
}

static bool take(struct ghcomp_member *self, struct ghcomp_workshare *share)
{
    if (ghcomp_load_relaxed(&share->cancelled))
        return false;
    switch (share->sched) {
    case GHCOMP_SCHED_DYNAMIC:
        return next_dynamic(self, share);
    case GHCOMP_SCHED_GUIDED:
        return next_guided(self, share);
    default:
        return next_static(self, share);
    }
}

bool ghcomp_loop_next_slow(struct ghcomp_member *self)
{
    struct ghcomp_workshare *share = self->share;
    if (share->way == GHCOMP_LOOP_BY_RUNS)
        return next_by_run(self, share);
    if (self->chunk_begin != self->chunk_end) {
        if (share->ordered)
            ghcomp_ordered_pass(self);
        if (share->doacross != NULL)
            ghcomp_doacross_complete(self);
    }
    if (!take(self, share)) {
        self->chunk_begin = self->chunk_end = 0;
        return false;
    }
    if (share->doacross != NULL)
        ghcomp_doacross_begin(self);
    return true;
}
