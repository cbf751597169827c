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

/* A lock that is taken by `take` and given by `give`, for a tool, which is told. Functions of their own, since calls
   beside that of the lock would make each critical section save registers. */
static __attribute__((noinline, cold)) void take_told(ompt_mutex_t kind, void *lock, void (*take)(void *),
                                                      const void *return_address, void *frame)
{
    ghcomp_tool_note(return_address, frame, 0);
    bool listens = ghcomp_tool_on(); /* the process's first call of the runtime may have found that there is no tool */
    if (listens)
        ghcomp_tool_mutex_wait(kind, 0, lock);
    take(lock);
    if (listens)
        ghcomp_tool_mutex_taken(kind, lock);
}

static __attribute__((noinline, cold)) void give_told(ompt_mutex_t kind, void *lock, void (*give)(void *),
                                                      const void *return_address, void *frame)
{
    give(lock);
    ghcomp_tool_note(return_address, frame, 0);
    ghcomp_tool_mutex_given(kind, lock);
}

#define TAKE(kind, lock, take)                                                                     \
    do {                                                                                           \
        if (ghcomp_tool_on())                                                                      \
            take_told(kind, lock, take, __builtin_return_address(0), __builtin_dwarf_cfa());       \
        else                                                                                       \
            take(lock);                                                                            \
    } while (0)
#define GIVE(kind, lock, give)                                                                     \
    do {                                                                                           \
        if (ghcomp_tool_on())                                                                      \
            give_told(kind, lock, give, __builtin_return_address(0), __builtin_dwarf_cfa());       \
        else                                                                                       \
            give(lock);                                                                            \
    } while (0)

static void enter(void *critical)
{
    ghcomp_critical_enter(critical);
}

static void leave(void *critical)
{
    ghcomp_critical_leave(critical);
}

static inline void take_named(void *lock)
{
    ghcomp_user_lock_take(lock);
}

static inline void give_named(void *lock)
{
    ghcomp_user_lock_give(lock);
}

void GOMP_critical_start(void)
{
    TAKE(ompt_mutex_critical, &ghcomp_critical_unnamed, enter);
}

void GOMP_critical_end(void)
{
    GIVE(ompt_mutex_critical, &ghcomp_critical_unnamed, leave);
}

/* GCC emits a zeroed pointer for each name, shared by all critical sections of that name: its first four bytes are the
   lock. */
void GOMP_critical_name_start(void **pptr)
{
    TAKE(ompt_mutex_critical, pptr, take_named);
}

void GOMP_critical_name_end(void **pptr)
{
    GIVE(ompt_mutex_critical, pptr, give_named);
}

void GOMP_atomic_start(void)
{
    TAKE(ompt_mutex_atomic, &ghcomp_critical_atomic, enter);
}

void GOMP_atomic_end(void)
{
    GIVE(ompt_mutex_atomic, &ghcomp_critical_atomic, leave);
}

GHCOMP_ABI_OBJECT(gomp_sync);
