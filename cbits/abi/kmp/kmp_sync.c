/* Barriers, critical sections, the lock of atomics, masked and master, flush: libomp's entries. Tests:
 * test/clang/sync.c. */
#include "abi/abi.h"
#include "abi/observed/lock.h"
#include "core/sync/barrier.h"
#include "core/sync/critical.h"
#include "core/team/cancel.h"
#include "core/tool/tool.h"
#include "core/worksharing/loop.h"

/* The kind of the barrier, by the compiler's flags. */
static inline int kind_of(const struct kmp_ident *loc)
{
    return loc == NULL                                  ? ompt_sync_region_barrier_implementation
           : loc->flags & KMP_IDENT_BARRIER_EXPLICIT ? ompt_sync_region_barrier_explicit
           : loc->flags & KMP_IDENT_BARRIER_IMPLICIT ? ompt_sync_region_barrier_implicit_workshare
                                                     : ompt_sync_region_barrier_implementation;
}

/* Drops the chunk that a cancelled loop may have left to the member. It is done at the barrier, with which such loops
   end, because clang's code makes no call at the end of a loop. */
static inline struct ghcomp_member *past_loop(void)
{
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    if (ghcomp_unlikely(ghcomp_global.cancel))
        ghcomp_loop_leave(self);
    return self;
}

/* Where ghcomp_self_fast is NULL. */
static __attribute__((noinline, cold)) void barrier_observed(const struct kmp_ident *loc, const void *return_address,
                                                             void *frame)
{
    if (ghcomp_tool_on())
        ghcomp_tool_note(return_address, frame, kind_of(loc));
    ghcomp_barrier_wait(past_loop());
}

void __kmpc_barrier(struct kmp_ident *loc, int32_t thread)
{
    (void)thread;
    struct ghcomp_member *self = ghcomp_self_fast;
    if (ghcomp_likely(self != NULL)) /* no loop was cancelled */
        ghcomp_barrier_wait_fast(self);
    else
        barrier_observed(loc, __builtin_return_address(0), __builtin_dwarf_cfa());
}

/* Result not 0: the region is cancelled. */
int32_t __kmpc_cancel_barrier(struct kmp_ident *loc, int32_t thread)
{
    (void)thread;
    GHCOMP_TOOL_SITE_OF(kind_of(loc));
    struct ghcomp_member *self = past_loop();
    return ghcomp_cancel_leaves(self, ghcomp_barrier_wait_cancellable(self));
}

/* Returns 1 to the primary thread, which runs the code up to the end call while the other members wait here. */
int32_t __kmpc_barrier_master(struct kmp_ident *loc, int32_t thread)
{
    (void)thread;
    GHCOMP_TOOL_SITE_OF(kind_of(loc));
    struct ghcomp_member *self = past_loop();
    ghcomp_barrier_wait(self);
    if (self->tid == 0)
        return 1;
    ghcomp_barrier_wait(self);
    return 0;
}

void __kmpc_end_barrier_master(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    ghcomp_barrier_wait(ghcomp_self_of_libomp());
}

/* The same, but the other members do not wait for the primary thread. */
int32_t __kmpc_barrier_master_nowait(struct kmp_ident *loc, int32_t thread)
{
    (void)thread;
    GHCOMP_TOOL_SITE_OF(kind_of(loc));
    struct ghcomp_member *self = past_loop();
    ghcomp_barrier_wait(self);
    return self->tid == 0;
}

static inline bool begin_masked(int32_t filter)
{
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    bool executes = (int32_t)self->tid == filter;
    if (ghcomp_tool_on() && executes)
        ghcomp_tool_masked(self, ompt_scope_begin);
    return executes;
}

int32_t __kmpc_master(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    GHCOMP_TOOL_SITE();
    return begin_masked(0);
}

void __kmpc_end_master(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    GHCOMP_TOOL_SITE();
    if (ghcomp_tool_on())
        ghcomp_tool_masked(ghcomp_self_of_libomp(), ompt_scope_end);
}

int32_t __kmpc_masked(struct kmp_ident *loc, int32_t thread, int32_t filter)
{
    (void)loc, (void)thread;
    GHCOMP_TOOL_SITE();
    return begin_masked(filter);
}

void __kmpc_end_masked(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    GHCOMP_TOOL_SITE();
    if (ghcomp_tool_on())
        ghcomp_tool_masked(ghcomp_self_of_libomp(), ompt_scope_end);
}

/* The first word of the name is the lock. */
void __kmpc_critical(struct kmp_ident *loc, int32_t thread, kmp_critical_name *name)
{
    (void)loc, (void)thread;
    TAKE_SIMPLE(ompt_mutex_critical, 0, name);
}

/* A hint has no effect: there is one kind of lock. */
void __kmpc_critical_with_hint(struct kmp_ident *loc, int32_t thread, kmp_critical_name *name, uint32_t hint)
{
    (void)loc, (void)thread;
    TAKE_SIMPLE(ompt_mutex_critical, hint, name);
}

void __kmpc_end_critical(struct kmp_ident *loc, int32_t thread, kmp_critical_name *name)
{
    (void)loc, (void)thread;
    GIVE_SIMPLE(ompt_mutex_critical, name);
}

/* Atomic constructs that the compiler has no instruction for: one lock for the process, gcc's code included. */
static void enter(void *critical)
{
    ghcomp_critical_enter(critical);
}

static void leave(void *critical)
{
    ghcomp_critical_leave(critical);
}

void __kmpc_atomic_start(void)
{
    if (ghcomp_observed_now())
        take_observed(ompt_mutex_atomic, 0, &ghcomp_critical_atomic, enter, __builtin_return_address(0),
                      __builtin_dwarf_cfa());
    else
        ghcomp_critical_enter_fast(&ghcomp_critical_atomic);
}

void __kmpc_atomic_end(void)
{
    if (ghcomp_observed_now())
        give_observed(ompt_mutex_atomic, &ghcomp_critical_atomic, leave, __builtin_return_address(0),
                      __builtin_dwarf_cfa());
    else
        ghcomp_critical_leave_fast(&ghcomp_critical_atomic);
}

void __kmpc_flush(struct kmp_ident *loc)
{
    (void)loc;
    GHCOMP_TOOL_SITE();
    __sync_synchronize();
    if (ghcomp_tool_on())
        ghcomp_tool_flush(ghcomp_self_of_libomp());
}

GHCOMP_ABI_OBJECT(kmp_sync);
