/* Interrupting C calls: how an exception for the calling Haskell thread reaches the C code.
 *
 * C code cannot be ended from outside, because only it can free its resources. So it polls (ghcomp_interrupted), in any
 * thread of its regions, and leaves its loops by itself.
 *
 *   1. The Haskell thread makes a scope for the calls (OpenMP.Interrupt), which is a field of the calling member:
 *      that is the encountering member of the regions that C opens, so their members find it by way of team->parent.
 *      The field does not change while these regions run, since their master is another member meanwhile.
 *   2. When an exception is pending for the Haskell thread, a watcher sets `wanted`.
 *   3. C polls. Scopes nest, because a callback may make one. A request to end the outer scope also ends the C code in
 *      the inner one, which then has no complete result. So both scopes record the delivery.
 *   4. The scope ends. If it was delivered and no exception comes (it was withdrawn), Haskell throws one of its own.
 *
 * Initial regions (target regions, the teams of a league) have no parent: they take over the scope when they begin.
 *
 * Called by abi/ghcomp, haskell/interrupt.c and initial_region.c. Covered by test/unit/interrupt.c and
 * test/hs/library/InterruptibleTest.hs.
 */
#include "core/team/interrupt.h"

_Atomic uint32_t ghcomp_interrupt_scopes;

struct ghcomp_interrupt *ghcomp_interrupt_of(const struct ghcomp_member *self)
{
    for (; self != NULL; self = self->team->parent)
        if (self->interrupt != NULL)
            return self->interrupt;
    return NULL;
}

void ghcomp_interrupt_enter(struct ghcomp_interrupt *scope)
{
    struct ghcomp_member *self = ghcomp_self();
    scope->outer = ghcomp_interrupt_of(self);
    scope->before = self->interrupt;
    self->interrupt = scope;
    ghcomp_add_relaxed(&ghcomp_interrupt_scopes, 1u);
}

void ghcomp_interrupt_leave(struct ghcomp_interrupt *scope)
{
    ghcomp_sub_relaxed(&ghcomp_interrupt_scopes, 1u);
    ghcomp_self()->interrupt = scope->before;
}

static __attribute__((noinline)) bool delivered(const struct ghcomp_member *self)
{
    struct ghcomp_interrupt *innermost = ghcomp_interrupt_of(self), *wanted = innermost;
    while (wanted != NULL && ghcomp_load_relaxed(&wanted->wanted) == 0)
        wanted = wanted->outer;
    if (wanted == NULL)
        return false;
    for (struct ghcomp_interrupt *scope = innermost;; scope = scope->outer) {
        if (ghcomp_load_relaxed(&scope->delivered) == 0)
            ghcomp_store_relaxed(&scope->delivered, 1u);
        if (scope == wanted)
            return true;
    }
}

bool ghcomp_interrupt_delivered(void)
{
    return ghcomp_unlikely(ghcomp_load_relaxed(&ghcomp_interrupt_scopes) != 0) && delivered(ghcomp_self_member);
}
