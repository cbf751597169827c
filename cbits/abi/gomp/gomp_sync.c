/* Barriers, critical sections and the atomic lock: libgomp's entries for core/sync/barrier.c and core/sync/critical.c.
 * Covered by test/conformance/{barrier,critical,atomic,trunk}. */
#include "abi/abi.h"
#include "abi/observed/lock.h"
#include "core/sync/barrier.h"
#include "core/sync/critical.h"
#include "core/tool/tool.h"

/* Where ghcomp_self_fast is NULL. */
static __attribute__((noinline, cold)) void barrier_observed(int kind, const void *return_address, void *frame)
{
    if (ghcomp_tool_on())
        ghcomp_tool_note(return_address, frame, kind);
    ghcomp_barrier_wait(ghcomp_self());
}

static inline int kind_of(int kind)
{
    return kind == 2 ? ompt_sync_region_barrier_explicit : ompt_sync_region_barrier_implicit_workshare;
}

#define BARRIER(kind)                                                                                      \
    do {                                                                                                   \
        struct ghcomp_member *self = ghcomp_self_fast;                                                     \
        if (ghcomp_unlikely(self == NULL))                                                                 \
            barrier_observed(kind, __builtin_return_address(0), __builtin_dwarf_cfa());                    \
        else                                                                                               \
            ghcomp_barrier_wait_fast(self);                                                                \
    } while (0)

GHCOMP_HOT_CODE void GOMP_barrier(void)
{
    BARRIER(ompt_sync_region_barrier_explicit);
}

/* GCC 17 passes the kind of barrier, for tools: 0 a parallel region's, 1 a worksharing construct's, 2 a barrier
   directive. */
void GOMP_barrier_ext(int kind)
{
    BARRIER(kind_of(kind));
}

/* Enter one of the runtime's own locks, which store their holder. */
#define ENTER(kind, critical)                                                                              \
    do {                                                                                                   \
        if (ghcomp_observed_now())                                                                         \
            take_observed(kind, 0, critical, enter, __builtin_return_address(0), __builtin_dwarf_cfa());   \
        else                                                                                               \
            ghcomp_critical_enter_fast(critical);                                                          \
    } while (0)
#define LEAVE(kind, critical)                                                                              \
    do {                                                                                                   \
        if (ghcomp_observed_now())                                                                         \
            give_observed(kind, critical, leave, __builtin_return_address(0), __builtin_dwarf_cfa());      \
        else                                                                                               \
            ghcomp_critical_leave_fast(critical);                                                          \
    } while (0)

static void enter(void *critical)
{
    ghcomp_critical_enter(critical);
}

static void leave(void *critical)
{
    ghcomp_critical_leave(critical);
}

void GOMP_critical_start(void)
{
    ENTER(ompt_mutex_critical, &ghcomp_critical_unnamed);
}

void GOMP_critical_end(void)
{
    LEAVE(ompt_mutex_critical, &ghcomp_critical_unnamed);
}

/* GCC emits a zeroed pointer for each name, shared by all critical sections of that name: its first four bytes are the
   lock. */
void GOMP_critical_name_start(void **pptr)
{
    TAKE_SIMPLE(ompt_mutex_critical, 0, pptr);
}

void GOMP_critical_name_end(void **pptr)
{
    GIVE_SIMPLE(ompt_mutex_critical, pptr);
}

void GOMP_atomic_start(void)
{
    ENTER(ompt_mutex_atomic, &ghcomp_critical_atomic);
}

void GOMP_atomic_end(void)
{
    LEAVE(ompt_mutex_atomic, &ghcomp_critical_atomic);
}

/* GCC 17's reductions without an atomic instruction: as GOMP_atomic_start, with the same lock, but reported to a tool
   as a reduction. */
static __attribute__((noinline, cold)) void reduction_observed(ompt_scope_endpoint_t endpoint,
                                                               const void *return_address, void *frame)
{
    struct ghcomp_member *self = ghcomp_self();
    if (endpoint == ompt_scope_begin)
        ghcomp_critical_enter(&ghcomp_critical_atomic);
    if (ghcomp_tool_on()) {
        ghcomp_tool_note(return_address, frame, 0);
        ghcomp_tool_reduction(self, endpoint);
        ghcomp_tool_take(self->thread);
    }
    if (endpoint == ompt_scope_end)
        ghcomp_critical_leave(&ghcomp_critical_atomic);
}

void GOMP_reduction_start(void)
{
    if (ghcomp_observed_now())
        reduction_observed(ompt_scope_begin, __builtin_return_address(0), __builtin_dwarf_cfa());
    else
        ghcomp_critical_enter_fast(&ghcomp_critical_atomic);
}

void GOMP_reduction_end(void)
{
    if (ghcomp_observed_now())
        reduction_observed(ompt_scope_end, __builtin_return_address(0), __builtin_dwarf_cfa());
    else
        ghcomp_critical_leave_fast(&ghcomp_critical_atomic);
}

GHCOMP_ABI_OBJECT(gomp_sync);
