/* Scopes for interrupting calls of C (core/team/interrupt.c), for OpenMP.Interrupt, which provides their memory. All of
 * these are for unsafe calls: they never wait. Covered by test/hs/library/InterruptibleTest.hs. */
#include "core/team/interrupt.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void ghcomp_hs_interrupt_enter(struct ghcomp_interrupt *scope);
EXPORT void ghcomp_hs_interrupt_leave(struct ghcomp_interrupt *scope);
EXPORT void ghcomp_hs_interrupt(struct ghcomp_interrupt *scope);
EXPORT int ghcomp_hs_interrupt_delivered(const struct ghcomp_interrupt *scope);

_Static_assert(sizeof(struct ghcomp_interrupt) == 24, "OpenMP.Interrupt allocates this much");

void ghcomp_hs_interrupt_enter(struct ghcomp_interrupt *scope)
{
    ghcomp_interrupt_enter(scope);
}

void ghcomp_hs_interrupt_leave(struct ghcomp_interrupt *scope)
{
    ghcomp_interrupt_leave(scope);
}

/* Requests that the C code in the scope ends. Any thread, as long as the scope's memory exists. */
void ghcomp_hs_interrupt(struct ghcomp_interrupt *scope)
{
    ghcomp_store_relaxed(&scope->wanted, 1u);
}

/* Whether a poll in the scope has returned true. Called when the scope has been left. */
int ghcomp_hs_interrupt_delivered(const struct ghcomp_interrupt *scope)
{
    return ghcomp_load_relaxed(&scope->delivered) != 0;
}
