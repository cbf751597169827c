/* GOMP_loop_ull_* for loops of `unsigned long long`: like gomp_loop.c, which also has the ends of these loops.
 * Tests: test/conformance/for, ordered, doacross.
 */
#include "abi/abi.h"
#include "abi/gomp/loop_table.h"
#include "abi/gomp/loop_tool.h"

typedef unsigned long long ull;

static inline bool chunk(enum ghcomp_loop_quick quick, uint64_t first, uint64_t past, ull *istart, ull *iend)
{
    if (quick == GHCOMP_LOOP_END)
        return false;
    *istart = first;
    *iend = past;
    return true;
}

static inline bool next_chunk(struct ghcomp_member *self, ull *istart, ull *iend)
{
    return chunk(GHCOMP_LOOP_CHUNK, ghcomp_loop_first(self), ghcomp_loop_past(self), istart, iend);
}

static __attribute__((noinline)) bool next_slow(struct ghcomp_member *self, ull *istart, ull *iend)
{
    return ghcomp_loop_next(self) && next_chunk(self, istart, iend);
}

static __attribute__((noinline)) bool next_own(struct ghcomp_member *self, ull *istart, ull *iend)
{
    uint64_t first, past;
    enum ghcomp_loop_quick quick = ghcomp_loop_next_own(self, &first, &past);
    return quick == GHCOMP_LOOP_ASK ? next_slow(self, istart, iend) : chunk(quick, first, past, istart, iend);
}

static inline bool next(struct ghcomp_member *self, ull *istart, ull *iend)
{
    uint64_t first, past;
    enum ghcomp_loop_quick quick = ghcomp_loop_next_counted(self, &first, &past);
    return quick == GHCOMP_LOOP_ASK ? next_own(self, istart, iend) : chunk(quick, first, past, istart, iend);
}

/* While a tool listens. */
static __attribute__((noinline, cold)) bool take_told(struct ghcomp_member *self, ull *istart, ull *iend)
{
    bool chunks = ghcomp_loop_next(self);
    tell_tool_of_chunk(self, chunks);
    return chunks && next_chunk(self, istart, iend);
}

static __attribute__((noinline, cold)) bool next_told(ull *istart, ull *iend, const void *return_address, void *frame)
{
    ghcomp_tool_note(return_address, frame, 0);
    struct ghcomp_member *self = ghcomp_self_member;
    tell_tool_of_next(self);
    return take_told(self, istart, iend);
}

static __attribute__((noinline, cold)) bool first_told(struct ghcomp_member *self, ull *istart, ull *iend)
{
    tell_tool_of_loop(self);
    return istart == NULL || take_told(self, istart, iend);
}

/* The first chunk of the loop that the member has entered. */
static inline bool first(struct ghcomp_member *self, ull *istart, ull *iend)
{
    if (ghcomp_tool_on())
        return first_told(self, istart, iend);
    return istart == NULL || next_slow(self, istart, iend);
}

/* --- loops -------------------------------------------------------------------------------------------------------- */

static inline bool start_loop(bool up, ull start, ull end, ull incr, struct ghcomp_loop_kind kind, ull *istart,
                              ull *iend)
{
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_loop_enter(self, ghcomp_loop_range_unsigned(up, start, end, incr), kind, NULL);
    return first(self, istart, iend);
}

/* A thread that takes another chunk is in a loop, so the runtime knows it. */
#define NEXT(name)                                                                                         \
    bool GOMP_loop_ull_##name##_next(ull *istart, ull *iend)                                               \
    {                                                                                                      \
        if (ghcomp_tool_on())                                                                              \
            return next_told(istart, iend, __builtin_return_address(0), __builtin_dwarf_cfa());            \
        return next(ghcomp_self_member, istart, iend);                                                     \
    }

#define WITH_CHUNK(name, schedule, order)                                                                  \
    bool GOMP_loop_ull_##name##_start(bool up, ull start, ull end, ull incr, ull chunk_size, ull *istart,  \
                                      ull *iend)                                                           \
    {                                                                                                      \
        GHCOMP_TOOL_SITE();                                                                                \
        struct ghcomp_loop_kind kind = {GHCOMP_##schedule, chunk_size, GHCOMP_LOOP_##order};               \
        return start_loop(up, start, end, incr, kind, istart, iend);                                       \
    }                                                                                                      \
    NEXT(name)

#define OF_RUNTIME(name, schedule, order)                                                                  \
    bool GOMP_loop_ull_##name##_start(bool up, ull start, ull end, ull incr, ull *istart, ull *iend)       \
    {                                                                                                      \
        GHCOMP_TOOL_SITE();                                                                                \
        struct ghcomp_loop_kind kind = {GHCOMP_##schedule, 0, GHCOMP_LOOP_##order};                        \
        return start_loop(up, start, end, incr, kind, istart, iend);                                       \
    }                                                                                                      \
    NEXT(name)

LOOPS_WITH_CHUNK(WITH_CHUNK)
LOOPS_OF_RUNTIME(OF_RUNTIME)

static inline bool start_general(bool up, ull start, ull end, ull incr, struct ghcomp_loop_kind kind, ull *istart,
                                 ull *iend, void **mem)
{
    struct ghcomp_member *self = ghcomp_self();
    struct ghcomp_loop_range range = {0};
    if (istart != NULL)
        range = ghcomp_loop_range_unsigned(up, start, end, incr);
    ghcomp_loop_enter(self, range, kind, mem);
    return first(self, istart, iend);
}

bool GOMP_loop_ull_start(bool up, ull start, ull end, ull incr, long sched, ull chunk_size, ull *istart, ull *iend,
                         uintptr_t *reductions, void **mem)
{
    GHCOMP_TOOL_SITE();
    begin_reductions(reductions);
    return start_general(up, start, end, incr, loop_kind_of(sched, chunk_size, false), istart, iend, mem);
}

bool GOMP_loop_ull_ordered_start(bool up, ull start, ull end, ull incr, long sched, ull chunk_size, ull *istart,
                                 ull *iend, uintptr_t *reductions, void **mem)
{
    GHCOMP_TOOL_SITE();
    begin_reductions(reductions);
    return start_general(up, start, end, incr, loop_kind_of(sched, chunk_size, true), istart, iend, mem);
}

/* --- doacross loops ----------------------------------------------------------------------------------------------- */

static bool start_doacross(unsigned ncounts, const ull *counts, struct ghcomp_loop_kind kind, ull *istart, ull *iend,
                           void **mem)
{
    struct ghcomp_member *self = ghcomp_self();
    /* The same bits, but unsigned long long and uint64_t are different types to the compiler. */
    uint64_t copy[ncounts];
    for (unsigned i = 0; i < ncounts; i++)
        copy[i] = counts[i];
    ghcomp_doacross_enter(self, ncounts, copy, kind, mem);
    return first(self, istart, iend);
}

#define DOACROSS(name, schedule, order)                                                                    \
    bool GOMP_loop_ull_##name##_start(unsigned ncounts, ull *counts, ull chunk_size, ull *istart, ull *iend) \
    {                                                                                                      \
        GHCOMP_TOOL_SITE();                                                                                \
        struct ghcomp_loop_kind kind = {GHCOMP_##schedule, chunk_size, GHCOMP_LOOP_##order};               \
        return start_doacross(ncounts, counts, kind, istart, iend, NULL);                                  \
    }

DOACROSS_WITH_CHUNK(DOACROSS)

bool GOMP_loop_ull_doacross_runtime_start(unsigned ncounts, ull *counts, ull *istart, ull *iend)
{
    GHCOMP_TOOL_SITE();
    struct ghcomp_loop_kind kind = {GHCOMP_LOOP_RUNTIME, 0, GHCOMP_LOOP_MONOTONIC};
    return start_doacross(ncounts, counts, kind, istart, iend, NULL);
}

bool GOMP_loop_ull_doacross_start(unsigned ncounts, ull *counts, long sched, ull chunk_size, ull *istart, ull *iend,
                                  uintptr_t *reductions, void **mem)
{
    GHCOMP_TOOL_SITE();
    begin_reductions(reductions);
    return start_doacross(ncounts, counts, loop_kind_of(sched, chunk_size, false), istart, iend, mem);
}

GHCOMP_ABI_OBJECT(gomp_loop_ull);
