/* Barriers, critical sections and the atomic lock: libgomp's entries for core/sync/barrier.c and core/sync/critical.c.
 * Covered by test/conformance/{barrier,critical,atomic,trunk}. */
#include "abi/abi.h"
#include "core/sync/barrier.h"
#include "core/sync/critical.h"

void GOMP_barrier(void)
{
    ghcomp_barrier_wait(ghcomp_self());
}

/* GCC 17 passes the kind of barrier: 0 a parallel region's, 1 a worksharing construct's, 2 a barrier directive. Only
   tools need it. */
void GOMP_barrier_ext(int kind)
{
    (void)kind;
    ghcomp_barrier_wait(ghcomp_self());
}

void GOMP_critical_start(void)
{
    ghcomp_critical_enter(&ghcomp_critical_unnamed);
}

void GOMP_critical_end(void)
{
    ghcomp_critical_leave(&ghcomp_critical_unnamed);
}

/* GCC emits a zeroed pointer for each name, shared by all critical sections of that name: its first four bytes are the
   lock. */
void GOMP_critical_name_start(void **pptr)
{
    ghcomp_user_lock_take((_Atomic uint32_t *)pptr);
}

void GOMP_critical_name_end(void **pptr)
{
    ghcomp_user_lock_give((_Atomic uint32_t *)pptr);
}

void GOMP_atomic_start(void)
{
    ghcomp_critical_enter(&ghcomp_critical_atomic);
}

void GOMP_atomic_end(void)
{
    ghcomp_critical_leave(&ghcomp_critical_atomic);
}

GHCOMP_ABI_OBJECT(gomp_sync);
