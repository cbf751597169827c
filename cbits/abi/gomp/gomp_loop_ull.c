/* GOMP_loop_ull_* for loops of `unsigned long long`: like gomp_loop.c, which also has the ends of these loops.
 * Tests: test/conformance/for, ordered, doacross.
 */
#include "abi/abi.h"
#define LOOP_INDEX unsigned long long
#include "abi/gomp/loop_chunks.h"
#include "abi/gomp/loop_table.h"
#include "abi/observed/loop.h"

typedef unsigned long long ull;

/* --- loops -------------------------------------------------------------------------------------------------------- */

static inline bool start_loop(bool up, ull start, ull end, ull incr, struct ghcomp_loop_kind kind, ull *istart,
                              ull *iend)
{
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_loop_enter(self, ghcomp_loop_range_unsigned(up, start, end, incr), kind, NULL);
    return first(self, istart, iend);
}

/* A thread that takes another chunk is in a loop, so it has a member. */
#define NEXT(name)                                                                                         \
    bool GOMP_loop_ull_##name##_next(ull *istart, ull *iend)                                               \
    {                                                                                                      \
        struct ghcomp_member *self = ghcomp_self_fast;                                                     \
        if (ghcomp_unlikely(self == NULL)) {                                                               \
            if (ghcomp_tool_on())                                                                          \
                return next_observed(istart, iend, __builtin_return_address(0), __builtin_dwarf_cfa());    \
            self = ghcomp_self_member;                                                                     \
        }                                                                                                  \
        return next(self, istart, iend);                                                                   \
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
    struct ghcomp_loop_kind kind = {GHCOMP_LOOP_RUNTIME, 0, GHCOMP_LOOP_SINGLY};
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
