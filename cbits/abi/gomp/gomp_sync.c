/* Barriers, critical sections and the atomic lock: libgomp's entries for core/sync/barrier.c and core/sync/critical.c.
 * Covered by test/conformance/{barrier,critical,atomic,trunk}. */
#include "abi/abi.h"
#include "core/sync/barrier.h"
#include "core/sync/critical.h"
#include "core/tool/tool.h"

void GOMP_barrier(void)
{
    GHCOMP_TOOL_SITE_OF(ompt_sync_region_barrier_explicit);
    ghcomp_barrier_wait(ghcomp_self());
}

/* GCC 17 passes the kind of barrier, for tools: 0 a parallel region's, 1 a worksharing construct's, 2 a barrier
   directive. */
void GOMP_barrier_ext(int kind)
{
    GHCOMP_TOOL_SITE_OF(kind == 2 ? ompt_sync_region_barrier_explicit : ompt_sync_region_barrier_implicit_workshare);
    ghcomp_barrier_wait(ghcomp_self());
}

/* A lock that is taken by `take` and given by `give`, with its events. */
#define TAKE(kind, lock, take)                         \
    do {                                               \
        if (ghcomp_tool_on()) {                        \
            GHCOMP_TOOL_SITE();                        \
            ghcomp_tool_mutex_wait(kind, 0, lock);     \
        }                                              \
        take;                                          \
        if (ghcomp_tool_on())                          \
            ghcomp_tool_mutex_taken(kind, lock);       \
    } while (0)
#define GIVE(kind, lock, give)                         \
    do {                                               \
        give;                                          \
        if (ghcomp_tool_on()) {                        \
            GHCOMP_TOOL_SITE();                        \
            ghcomp_tool_mutex_given(kind, lock);       \
        }                                              \
    } while (0)

void GOMP_critical_start(void)
{
    TAKE(ompt_mutex_critical, &ghcomp_critical_unnamed, ghcomp_critical_enter(&ghcomp_critical_unnamed));
}

void GOMP_critical_end(void)
{
    GIVE(ompt_mutex_critical, &ghcomp_critical_unnamed, ghcomp_critical_leave(&ghcomp_critical_unnamed));
}

/* GCC emits a zeroed pointer for each name, shared by all critical sections of that name: its first four bytes are the
   lock. */
void GOMP_critical_name_start(void **pptr)
{
    TAKE(ompt_mutex_critical, pptr, ghcomp_lock_take((_Atomic uint32_t *)pptr));
}

void GOMP_critical_name_end(void **pptr)
{
    GIVE(ompt_mutex_critical, pptr, ghcomp_lock_give((_Atomic uint32_t *)pptr));
}

void GOMP_atomic_start(void)
{
    TAKE(ompt_mutex_atomic, &ghcomp_critical_atomic, ghcomp_critical_enter(&ghcomp_critical_atomic));
}

void GOMP_atomic_end(void)
{
    GIVE(ompt_mutex_atomic, &ghcomp_critical_atomic, ghcomp_critical_leave(&ghcomp_critical_atomic));
}

GHCOMP_ABI_OBJECT(gomp_sync);
