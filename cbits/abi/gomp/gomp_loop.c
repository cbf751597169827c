/* GOMP_loop_* for loops of `long`, the ends of loops, and the combined GOMP_parallel_loop_*.
 * Tests: test/conformance/for, ordered, doacross, trunk.
 *
 * Each family has a _start (enter the loop, take the first chunk) and a _next (take another; loop_chunks.h), generated
 * from the rows of loop_table.h. In a combined construct the master has entered the loop for all members, which begin
 * with _next.
 */
#include "abi/abi.h"
#define LOOP_INDEX long
#include "abi/gomp/loop_chunks.h"
#include "abi/gomp/loop_table.h"
#include "abi/observed/loop.h"
#include "core/sync/barrier.h"
#include "core/team/team.h"

/* A chunk size that is not positive stands for the default. */
static inline uint64_t chunk_of(long chunk_size)
{
    return chunk_size > 0 ? (uint64_t)chunk_size : 0;
}

/* --- loops -------------------------------------------------------------------------------------------------------- */

static inline bool start_loop(long start, long end, long incr, struct ghcomp_loop_kind kind, long *istart, long *iend)
{
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_loop_enter(self, ghcomp_loop_range_signed(start, end, incr), kind, NULL);
    return first(self, istart, iend);
}

/* A thread that takes another chunk is in a loop, so the runtime knows it. */
#define NEXT(name)                                                                                         \
    bool GOMP_loop_##name##_next(long *istart, long *iend)                                                 \
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
    bool GOMP_loop_##name##_start(long start, long end, long incr, long chunk_size, long *istart, long *iend) \
    {                                                                                                      \
        GHCOMP_TOOL_SITE();                                                                                \
        struct ghcomp_loop_kind kind = {GHCOMP_##schedule, chunk_of(chunk_size), GHCOMP_LOOP_##order};     \
        return start_loop(start, end, incr, kind, istart, iend);                                           \
    }                                                                                                      \
    NEXT(name)

#define OF_RUNTIME(name, schedule, order)                                                                  \
    bool GOMP_loop_##name##_start(long start, long end, long incr, long *istart, long *iend)               \
    {                                                                                                      \
        GHCOMP_TOOL_SITE();                                                                                \
        struct ghcomp_loop_kind kind = {GHCOMP_##schedule, 0, GHCOMP_LOOP_##order};                        \
        return start_loop(start, end, incr, kind, istart, iend);                                           \
    }                                                                                                      \
    NEXT(name)

LOOPS_WITH_CHUNK(WITH_CHUNK)
LOOPS_OF_RUNTIME(OF_RUNTIME)

/* With istart NULL the compiled code divides the loop by itself and needs only the memory. */
static inline bool start_general(long start, long end, long incr, struct ghcomp_loop_kind kind, long *istart,
                                 long *iend, void **mem)
{
    struct ghcomp_member *self = ghcomp_self();
    struct ghcomp_loop_range range = {0};
    if (istart != NULL)
        range = ghcomp_loop_range_signed(start, end, incr);
    ghcomp_loop_enter(self, range, kind, mem);
    return first(self, istart, iend);
}

bool GOMP_loop_start(long start, long end, long incr, long sched, long chunk_size, long *istart, long *iend,
                     uintptr_t *reductions, void **mem)
{
    GHCOMP_TOOL_SITE();
    begin_reductions(reductions);
    return start_general(start, end, incr, loop_kind_of(sched, chunk_of(chunk_size), false), istart, iend, mem);
}

bool GOMP_loop_ordered_start(long start, long end, long incr, long sched, long chunk_size, long *istart, long *iend,
                             uintptr_t *reductions, void **mem)
{
    GHCOMP_TOOL_SITE();
    begin_reductions(reductions);
    return start_general(start, end, incr, loop_kind_of(sched, chunk_of(chunk_size), true), istart, iend, mem);
}

/* --- doacross loops: the outermost loop is 0 .. counts[0]-1; _next is that of the schedule ------------------------ */

static bool start_doacross(unsigned ncounts, const long *counts, struct ghcomp_loop_kind kind, long *istart, long *iend,
                           void **mem)
{
    struct ghcomp_member *self = ghcomp_self();
    /* long and uint64_t differ only in the sign, so the array may be read as the other type. */
    ghcomp_doacross_enter(self, ncounts, (const uint64_t *)counts, kind, mem);
    return first(self, istart, iend);
}

#define DOACROSS(name, schedule, order)                                                                    \
    bool GOMP_loop_##name##_start(unsigned ncounts, long *counts, long chunk_size, long *istart, long *iend) \
    {                                                                                                      \
        GHCOMP_TOOL_SITE();                                                                                \
        struct ghcomp_loop_kind kind = {GHCOMP_##schedule, chunk_of(chunk_size), GHCOMP_LOOP_##order};     \
        return start_doacross(ncounts, counts, kind, istart, iend, NULL);                                  \
    }

DOACROSS_WITH_CHUNK(DOACROSS)

bool GOMP_loop_doacross_runtime_start(unsigned ncounts, long *counts, long *istart, long *iend)
{
    GHCOMP_TOOL_SITE();
    struct ghcomp_loop_kind kind = {GHCOMP_LOOP_RUNTIME, 0, GHCOMP_LOOP_SINGLY};
    return start_doacross(ncounts, counts, kind, istart, iend, NULL);
}

bool GOMP_loop_doacross_start(unsigned ncounts, long *counts, long sched, long chunk_size, long *istart, long *iend,
                              uintptr_t *reductions, void **mem)
{
    GHCOMP_TOOL_SITE();
    begin_reductions(reductions);
    return start_doacross(ncounts, counts, loop_kind_of(sched, chunk_of(chunk_size), false), istart, iend, mem);
}

/* --- static schedules --------------------------------------------------------------------------------------------- */

/* The compiled code computes its member's iterations from this, and needs nothing else from the runtime. `niter` is for
   tools. */
static inline _Complex int share_of(const struct ghcomp_member *self)
{
    return ghcomp_abi_share(self->team->size, self->tid);
}

_Complex int GOMP_loop_static_worksharing(unsigned long long niter)
{
    struct ghcomp_member *self = ghcomp_self();
    if (ghcomp_tool_on()) {
        ghcomp_tool_note(__builtin_return_address(0), __builtin_dwarf_cfa(), 0);
        ghcomp_tool_work_passed(self, ompt_work_loop_static, niter);
    }
    return share_of(self);
}

/* The same where the loop's end is told, too: with -fopenmp-ompt by GOMP_loop_static_worksharing_end; for a loop that
   needs memory of the runtime, which GOMP_loop_start has entered without a range, by GOMP_loop_end. The code calls the
   first one behind the loop's barrier, which is where the loop has ended for tools (tool_sync.c). */
_Complex int GOMP_loop_static_worksharing_start(unsigned long long niter)
{
    struct ghcomp_member *self = ghcomp_self();
    if (ghcomp_tool_on()) {
        ghcomp_tool_note(__builtin_return_address(0), __builtin_dwarf_cfa(), 0);
        report_static(self, niter);
    }
    return share_of(self);
}

/* The member goes on with `niter` iterations from `first` on, as the loop counts them. The snapshot's compiler has the
   call and emits it nowhere. */
void GOMP_loop_static_worksharing_dispatch(unsigned long long first, unsigned long long niter)
{
    if (ghcomp_tool_on())
        ghcomp_tool_chunk(ghcomp_tool_current(ghcomp_self()), ompt_dispatch_ws_loop_chunk, first, niter);
}

void GOMP_loop_static_worksharing_end(void)
{
    if (ghcomp_tool_on())
        ghcomp_tool_work_end(ghcomp_self());
}

/* --- the end, for loops of both types ----------------------------------------------------------------------------- */

void GOMP_loop_end(void)
{
    struct ghcomp_member *self = ghcomp_self_fast;
    if (ghcomp_unlikely(self == NULL)) {
        end_observed(false, __builtin_return_address(0), __builtin_dwarf_cfa());
        return;
    }
    ghcomp_loop_leave(self);
    ghcomp_barrier_wait_fast(self);
}

void GOMP_loop_end_nowait(void)
{
    struct ghcomp_member *self = ghcomp_self();
    report_end(self);
    ghcomp_loop_leave(self);
}

bool GOMP_loop_end_cancel(void)
{
    struct ghcomp_member *self = ghcomp_self_fast;
    if (ghcomp_unlikely(self == NULL))
        return end_observed(true, __builtin_return_address(0), __builtin_dwarf_cfa());
    ghcomp_loop_leave(self);
    return ghcomp_barrier_wait_cancellable_fast(self);
}

/* --- combined parallel loops -------------------------------------------------------------------------------------- */

static void start_parallel(void (*fn)(void *), void *data, unsigned num_threads, struct ghcomp_loop_range range,
                           struct ghcomp_loop_kind kind, unsigned flags)
{
    struct ghcomp_team *team = ghcomp_team_prepare(num_threads, flags);
    struct ghcomp_workshare *share = ghcomp_workshare_new(&team->master);
    ghcomp_loop_fill(&team->master, share, range, kind);
    ghcomp_workshare_start_in(team, share);
    ghcomp_team_release(team, fn, data);
}

#define PARALLEL(name, schedule)                                                                           \
    void GOMP_parallel_loop_##name(void (*fn)(void *), void *data, unsigned num_threads, long start, long end, \
                                   long incr, long chunk_size, unsigned flags)                             \
    {                                                                                                      \
        GHCOMP_TOOL_SITE();                                                                                \
        struct ghcomp_loop_kind kind = {GHCOMP_##schedule, chunk_of(chunk_size), GHCOMP_LOOP_RISING};      \
        start_parallel(fn, data, num_threads, ghcomp_loop_range_signed(start, end, incr), kind, flags);    \
        ghcomp_team_run_member(fn, data);                                                                  \
        ghcomp_team_join();                                                                                \
    }

#define PARALLEL_RUNTIME(name)                                                                             \
    void GOMP_parallel_loop_##name(void (*fn)(void *), void *data, unsigned num_threads, long start, long end, \
                                   long incr, unsigned flags)                                              \
    {                                                                                                      \
        GHCOMP_TOOL_SITE();                                                                                \
        struct ghcomp_loop_kind kind = {GHCOMP_LOOP_RUNTIME, 0, GHCOMP_LOOP_RISING};                       \
        start_parallel(fn, data, num_threads, ghcomp_loop_range_signed(start, end, incr), kind, flags);    \
        ghcomp_team_run_member(fn, data);                                                                  \
        ghcomp_team_join();                                                                                \
    }

/* Before GCC 4.9: the caller runs the body itself and ends the region with GOMP_parallel_end. */
#define PARALLEL_START(name, schedule)                                                                     \
    void GOMP_parallel_loop_##name##_start(void (*fn)(void *), void *data, unsigned num_threads, long start, \
                                           long end, long incr, long chunk_size)                           \
    {                                                                                                      \
        GHCOMP_TOOL_SITE_OF(ompt_parallel_invoker_program);                                                \
        struct ghcomp_loop_kind kind = {GHCOMP_##schedule, chunk_of(chunk_size), GHCOMP_LOOP_RISING};      \
        start_parallel(fn, data, num_threads, ghcomp_loop_range_signed(start, end, incr), kind, 0);        \
    }

PARALLEL(static, SCHED_STATIC)
PARALLEL(dynamic, SCHED_DYNAMIC)
PARALLEL(guided, SCHED_GUIDED)
PARALLEL(nonmonotonic_dynamic, SCHED_DYNAMIC)
PARALLEL(nonmonotonic_guided, SCHED_GUIDED)
PARALLEL_RUNTIME(runtime)
PARALLEL_RUNTIME(nonmonotonic_runtime)
PARALLEL_RUNTIME(maybe_nonmonotonic_runtime)
PARALLEL_START(static, SCHED_STATIC)
PARALLEL_START(dynamic, SCHED_DYNAMIC)
PARALLEL_START(guided, SCHED_GUIDED)

void GOMP_parallel_loop_runtime_start(void (*fn)(void *), void *data, unsigned num_threads, long start, long end,
                                      long incr)
{
    GHCOMP_TOOL_SITE_OF(ompt_parallel_invoker_program);
    struct ghcomp_loop_kind kind = {GHCOMP_LOOP_RUNTIME, 0, GHCOMP_LOOP_RISING};
    start_parallel(fn, data, num_threads, ghcomp_loop_range_signed(start, end, incr), kind, 0);
}

GHCOMP_ABI_OBJECT(gomp_loop);
