/* Reductions at the end of a worksharing construct or region. Tests: test/clang/reductions.c.
 *
 * The compiled code asks each member how to combine its values with the program's variables: KMP_COMBINE, plainly,
 * between the call and the end call, or KMP_ATOMIC, by atomic instructions.
 *
 *   lock    The members combine one after the other.
 *   atomic  Where the compiler has atomic instructions for all variables: up to two of them in a small team, since each
 *           costs a transfer of its cache line.
 *
 * The end call must know what the first one chose: it is kept in the thread, which runs no other reduction between the
 * two. */
#include "abi/abi.h"
#include "core/sync/barrier.h"
#include "core/sync/lock.h"
#include "core/tool/tool.h"

enum { KMP_COMBINE = 1, KMP_ATOMIC = 2 };

enum { ATOMIC_TEAM = 4, ATOMIC_VARIABLES = 2 };

static inline int choose(const struct kmp_ident *loc, const struct ghcomp_team *team, int32_t count)
{
    bool instructions = loc != NULL && (loc->flags & KMP_IDENT_ATOMIC_REDUCE) != 0;
    return instructions && count <= ATOMIC_VARIABLES && team->size <= ATOMIC_TEAM ? KMP_ATOMIC : KMP_COMBINE;
}

static inline int begin(const struct kmp_ident *loc, struct ghcomp_member *self, int32_t count, kmp_critical_name *name)
{
    if (self->team->size == 1) {
        if (ghcomp_tool_on())
            ghcomp_tool_reduction(self, ompt_scope_begin);
        return KMP_COMBINE;
    }
    int how = choose(loc, self->team, count);
    self->thread->clauses.reduction_locked = how == KMP_COMBINE;
    if (how == KMP_COMBINE)
        ghcomp_user_lock_take((_Atomic uint32_t *)name);
    /* Compiled code that combines by atomic instructions need not say when it is done. */
    if (ghcomp_tool_on() && how == KMP_COMBINE)
        ghcomp_tool_reduction(self, ompt_scope_begin);
    return how;
}

static inline void end(struct ghcomp_member *self, kmp_critical_name *name)
{
    if (self->team->size > 1 && !self->thread->clauses.reduction_locked)
        return;
    if (ghcomp_tool_on())
        ghcomp_tool_reduction(self, ompt_scope_end);
    if (self->team->size > 1)
        ghcomp_user_lock_give((_Atomic uint32_t *)name);
}

int32_t __kmpc_reduce_nowait(struct kmp_ident *loc, int32_t thread, int32_t count, size_t bytes, void *data,
                             void (*combine)(void *, void *), kmp_critical_name *name)
{
    (void)thread, (void)bytes, (void)data, (void)combine;
    GHCOMP_TOOL_SITE();
    return begin(loc, ghcomp_self(), count, name);
}

void __kmpc_end_reduce_nowait(struct kmp_ident *loc, int32_t thread, kmp_critical_name *name)
{
    (void)loc, (void)thread;
    GHCOMP_TOOL_SITE();
    end(ghcomp_self(), name);
}

int32_t __kmpc_reduce(struct kmp_ident *loc, int32_t thread, int32_t count, size_t bytes, void *data,
                      void (*combine)(void *, void *), kmp_critical_name *name)
{
    (void)thread, (void)bytes, (void)data, (void)combine;
    GHCOMP_TOOL_SITE();
    return begin(loc, ghcomp_self(), count, name);
}

/* Every member calls it, whatever it has done. */
void __kmpc_end_reduce(struct kmp_ident *loc, int32_t thread, kmp_critical_name *name)
{
    (void)loc, (void)thread;
    GHCOMP_TOOL_SITE_OF(ompt_sync_region_barrier_implicit_workshare);
    struct ghcomp_member *self = ghcomp_self();
    end(self, name);
    ghcomp_barrier_wait(self);
}

GHCOMP_ABI_OBJECT(kmp_reduce);
