/* GOMP_loop_* for loops of `long`, the ends of loops, and the combined GOMP_parallel_loop_*.
 * Tests: test/conformance/{for,ordered,doacross,trunk}.
 *
 * In a combined construct the master has entered the loop for all members, which begin with _next.
 */
#include "abi/abi.h"

/* A chunk size of 0 or below means the default. */
#define LOOP_INDEX long
#define LOOP_ENTRY(name) GOMP_loop_##name
#define LOOP_BOUNDS long start, long end, long incr
#define LOOP_RANGE ghcomp_loop_range_signed(start, end, incr)
#define LOOP_CHUNK(size) ((size) > 0 ? (uint64_t)(size) : 0)
#include "abi/gomp/loop_entries.h"
#include "abi/gomp/share_ends.h"
#include "core/team/team.h"

/* --- static schedules --------------------------------------------------------------------------------------------- */

/* Returns all that the compiled code needs to compute its member's iterations. `niter` is for tools. */
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

/* The same for loops whose end is reported, too: with -fopenmp-ompt by GOMP_loop_static_worksharing_end; for a loop
   that needs the runtime's memory, which GOMP_loop_start has entered without a range, by GOMP_loop_end. The code calls
   the former after the loop's barrier, at which the loop has already ended for tools (tool_sync.c). */
_Complex int GOMP_loop_static_worksharing_start(unsigned long long niter)
{
    struct ghcomp_member *self = ghcomp_self();
    if (ghcomp_tool_on()) {
        ghcomp_tool_note(__builtin_return_address(0), __builtin_dwarf_cfa(), 0);
        report_static(self, niter);
    }
    return share_of(self);
}

/* Reports that the member continues with `niter` iterations from number `first` on. GCC 17's snapshot knows the call,
   but emits it nowhere. */
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
    end_with_barrier(__builtin_return_address(0), __builtin_dwarf_cfa());
}

void GOMP_loop_end_nowait(void)
{
    end_nowait();
}

bool GOMP_loop_end_cancel(void)
{
    return end_with_cancellable_barrier(__builtin_return_address(0), __builtin_dwarf_cfa());
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
        struct ghcomp_loop_kind kind = {GHCOMP_##schedule, LOOP_CHUNK(chunk_size), GHCOMP_LOOP_RISING};      \
        start_parallel(fn, data, num_threads, ghcomp_loop_range_signed(start, end, incr), kind, flags);    \
        ghcomp_team_run_member(fn, data);                                                                  \
        ghcomp_team_join();                                                                                \
    }

#define PARALLEL_RUNTIME(name)                                                                             \
    void GOMP_parallel_loop_##name(void (*fn)(void *), void *data, unsigned num_threads, long start, long end, \
                                   long incr, unsigned flags)                                              \
    {                                                                                                      \
        GHCOMP_TOOL_SITE();                                                                                \
        struct ghcomp_loop_kind kind = {GHCOMP_LOOP_RUNTIME_COMBINED, 0, GHCOMP_LOOP_RISING};              \
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
        struct ghcomp_loop_kind kind = {GHCOMP_##schedule, LOOP_CHUNK(chunk_size), GHCOMP_LOOP_RISING};      \
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
    struct ghcomp_loop_kind kind = {GHCOMP_LOOP_RUNTIME_COMBINED, 0, GHCOMP_LOOP_RISING};
    start_parallel(fn, data, num_threads, ghcomp_loop_range_signed(start, end, incr), kind, 0);
}

GHCOMP_ABI_OBJECT(gomp_loop);
