/* The entries of gcc's loops that do not depend on the type of the loop's variable: gomp_loop.c and gomp_loop_ull.c
 * include this once, each with these defined:
 *
 *   LOOP_INDEX          the type
 *   LOOP_ENTRY(name)    the symbol GOMP_loop_name, or GOMP_loop_ull_name
 *   LOOP_BOUNDS         the parameters that state the range
 *   LOOP_RANGE          the range, from these parameters
 *   LOOP_CHUNK(size)    the chunk size, 0 for the default, from the parameter
 *
 * Each family has a _start (enters the loop and takes the first chunk) and a _next (takes another), generated from the
 * rows of loop_table.h.
 *
 * A chunk is returned as its first value and the value past its last; the result false means that there is none. The
 * two files inline the path of most chunks: those that the member has taken already (core/worksharing/loop.h).
 *
 * Tests: test/conformance/for. */
#include "abi/gomp/loop_table.h"
#include "abi/observed/loop.h"

static inline bool chunk(enum ghcomp_loop_quick quick, uint64_t first, uint64_t past, LOOP_INDEX *istart,
                         LOOP_INDEX *iend)
{
    if (quick == GHCOMP_LOOP_END)
        return false;
    *istart = (LOOP_INDEX)first;
    *iend = (LOOP_INDEX)past;
    bool found = true;
    __asm__("" : "+r"(found)); /* otherwise gcc would keep the flag from the test of ghcomp_self_fast, and return
                                  that */
    return found;
}

static inline bool next_chunk(struct ghcomp_member *self, LOOP_INDEX *istart, LOOP_INDEX *iend)
{
    return chunk(GHCOMP_LOOP_CHUNK, ghcomp_loop_first(self), ghcomp_loop_past(self), istart, iend);
}

/* `self` comes last in what the entries call, so that their own parameters stay where they are. */
static __attribute__((noinline)) bool next_slow(LOOP_INDEX *istart, LOOP_INDEX *iend, struct ghcomp_member *self)
{
    return ghcomp_loop_next(self) && next_chunk(self, istart, iend);
}

static __attribute__((noinline)) bool next_counted(LOOP_INDEX *istart, LOOP_INDEX *iend, struct ghcomp_member *self)
{
    uint64_t first, past;
    enum ghcomp_loop_quick quick = ghcomp_loop_next_counted(self, &first, &past);
    return quick == GHCOMP_LOOP_ASK ? next_slow(istart, iend, self) : chunk(quick, first, past, istart, iend);
}

static inline bool next_RISING(LOOP_INDEX *istart, LOOP_INDEX *iend, struct ghcomp_member *self)
{
    uint64_t first, past;
    enum ghcomp_loop_quick quick = ghcomp_loop_next_in_run(self, &first, &past);
    return quick == GHCOMP_LOOP_ASK ? next_counted(istart, iend, self) : chunk(quick, first, past, istart, iend);
}

/* Takes a chunk of an ordered loop by the general path, since the loop has no runs, and the turn must be passed on,
   too. */
static __attribute__((noinline)) bool next_ORDERED(LOOP_INDEX *istart, LOOP_INDEX *iend, struct ghcomp_member *self)
{
    ghcomp_yield_to_haskell(self);
    return ghcomp_loop_next_slow(self) && next_chunk(self, istart, iend);
}

/* Takes a chunk while a tool is registered. */
static __attribute__((noinline, cold)) bool
take_observed(struct ghcomp_member *self, LOOP_INDEX *istart, LOOP_INDEX *iend)
{
    bool chunks = ghcomp_loop_next(self);
    report_chunk(self, chunks);
    return chunks && next_chunk(self, istart, iend);
}

/* The observed path of all _next entries, which do nothing after this call, so that they need no frame. For ordered
   loops, which have neither runs nor a counter, next_RISING takes the slow path. */
static __attribute__((noinline, cold)) bool next_observed(LOOP_INDEX *istart, LOOP_INDEX *iend,
                                                             const void *return_address, void *frame)
{
    struct ghcomp_member *self = ghcomp_self_member;
    if (!ghcomp_tool_on())
        return next_RISING(istart, iend, self);
    ghcomp_tool_note(return_address, frame, 0);
    report_next(self);
    return take_observed(self, istart, iend);
}

static __attribute__((noinline, cold)) bool
first_observed(struct ghcomp_member *self, LOOP_INDEX *istart, LOOP_INDEX *iend)
{
    report_loop(self);
    return istart == NULL || take_observed(self, istart, iend);
}

/* The first chunk of the loop that the member has entered. */
static inline bool first(struct ghcomp_member *self, LOOP_INDEX *istart, LOOP_INDEX *iend)
{
    if (ghcomp_tool_on())
        return first_observed(self, istart, iend);
    return istart == NULL || next_slow(istart, iend, self);
}

/* --- loops -------------------------------------------------------------------------------------------------------- */

static inline bool start_loop(struct ghcomp_loop_range range, struct ghcomp_loop_kind kind, LOOP_INDEX *istart,
                              LOOP_INDEX *iend)
{
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_loop_enter(self, range, kind, NULL);
    return first(self, istart, iend);
}

/* NULL only on observed paths: a thread that takes another chunk is in a loop, so it has a member. */
#define NEXT(name, order)                                                                                  \
    bool LOOP_ENTRY(name##_next)(LOOP_INDEX *istart, LOOP_INDEX *iend)                                     \
    {                                                                                                      \
        struct ghcomp_member *self = ghcomp_self_fast;                                                     \
        if (ghcomp_unlikely(self == NULL))                                                                 \
            return next_observed(istart, iend, __builtin_return_address(0), __builtin_dwarf_cfa());        \
        return next_##order(istart, iend, self);                                                           \
    }

#define WITH_CHUNK(name, schedule, order)                                                                  \
    bool LOOP_ENTRY(name##_start)(LOOP_BOUNDS, LOOP_INDEX chunk_size, LOOP_INDEX *istart, LOOP_INDEX *iend) \
    {                                                                                                      \
        GHCOMP_TOOL_SITE();                                                                                \
        struct ghcomp_loop_kind kind = {GHCOMP_##schedule, LOOP_CHUNK(chunk_size), GHCOMP_LOOP_##order};   \
        return start_loop(LOOP_RANGE, kind, istart, iend);                                                 \
    }                                                                                                      \
    NEXT(name, order)

#define OF_RUNTIME(name, schedule, order)                                                                  \
    bool LOOP_ENTRY(name##_start)(LOOP_BOUNDS, LOOP_INDEX *istart, LOOP_INDEX *iend)                       \
    {                                                                                                      \
        GHCOMP_TOOL_SITE();                                                                                \
        struct ghcomp_loop_kind kind = {GHCOMP_##schedule, 0, GHCOMP_LOOP_##order};                        \
        return start_loop(LOOP_RANGE, kind, istart, iend);                                                 \
    }                                                                                                      \
    NEXT(name, order)

LOOPS_WITH_CHUNK(WITH_CHUNK)
LOOPS_OF_RUNTIME(OF_RUNTIME)

/* With istart NULL the compiled code divides the loop by itself and needs only the memory; the range is meaningless
   then. */
static inline bool start_general(struct ghcomp_loop_range range, struct ghcomp_loop_kind kind, LOOP_INDEX *istart,
                                 LOOP_INDEX *iend, void **mem)
{
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_loop_enter(self, istart != NULL ? range : (struct ghcomp_loop_range){0}, kind, mem);
    return first(self, istart, iend);
}

bool LOOP_ENTRY(start)(LOOP_BOUNDS, long sched, LOOP_INDEX chunk_size, LOOP_INDEX *istart, LOOP_INDEX *iend,
                       uintptr_t *reductions, void **mem)
{
    GHCOMP_TOOL_SITE();
    begin_reductions(reductions);
    return start_general(LOOP_RANGE, loop_kind_of(sched, LOOP_CHUNK(chunk_size), false), istart, iend, mem);
}

bool LOOP_ENTRY(ordered_start)(LOOP_BOUNDS, long sched, LOOP_INDEX chunk_size, LOOP_INDEX *istart, LOOP_INDEX *iend,
                               uintptr_t *reductions, void **mem)
{
    GHCOMP_TOOL_SITE();
    begin_reductions(reductions);
    return start_general(LOOP_RANGE, loop_kind_of(sched, LOOP_CHUNK(chunk_size), true), istart, iend, mem);
}

/* --- doacross loops: the outermost loop is 0 .. counts[0]-1; _next is that of the schedule ------------------------ */

/* Copies the counts: their bits are those of uint64_t, but by C's aliasing rules they must not be accessed by that
   type. */
static bool start_doacross(unsigned ncounts, const LOOP_INDEX *counts, struct ghcomp_loop_kind kind, LOOP_INDEX *istart,
                           LOOP_INDEX *iend, void **mem)
{
    struct ghcomp_member *self = ghcomp_self();
    uint64_t copy[ncounts];
    for (unsigned i = 0; i < ncounts; i++)
        copy[i] = (uint64_t)counts[i];
    ghcomp_doacross_enter(self, ncounts, copy, kind, mem);
    return first(self, istart, iend);
}

#define DOACROSS(name, schedule, order)                                                                    \
    bool LOOP_ENTRY(name##_start)(unsigned ncounts, LOOP_INDEX *counts, LOOP_INDEX chunk_size, LOOP_INDEX *istart, \
                                  LOOP_INDEX *iend)                                                        \
    {                                                                                                      \
        GHCOMP_TOOL_SITE();                                                                                \
        struct ghcomp_loop_kind kind = {GHCOMP_##schedule, LOOP_CHUNK(chunk_size), GHCOMP_LOOP_##order};   \
        return start_doacross(ncounts, counts, kind, istart, iend, NULL);                                  \
    }

DOACROSS_WITH_CHUNK(DOACROSS)

bool LOOP_ENTRY(doacross_runtime_start)(unsigned ncounts, LOOP_INDEX *counts, LOOP_INDEX *istart, LOOP_INDEX *iend)
{
    GHCOMP_TOOL_SITE();
    struct ghcomp_loop_kind kind = {GHCOMP_LOOP_RUNTIME, 0, GHCOMP_LOOP_SINGLY};
    return start_doacross(ncounts, counts, kind, istart, iend, NULL);
}

bool LOOP_ENTRY(doacross_start)(unsigned ncounts, LOOP_INDEX *counts, long sched, LOOP_INDEX chunk_size,
                                LOOP_INDEX *istart, LOOP_INDEX *iend, uintptr_t *reductions, void **mem)
{
    GHCOMP_TOOL_SITE();
    begin_reductions(reductions);
    return start_doacross(ncounts, counts, loop_kind_of(sched, LOOP_CHUNK(chunk_size), false), istart, iend, mem);
}
