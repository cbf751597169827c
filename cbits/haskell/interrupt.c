/* Scopes of calls of C that are to end early (core/team/interrupt.c), for OpenMP.Interrupt, which gives the words.
 * All of these are for unsafe calls: they never wait. Covered by test/hs/library/InterruptibleTest.hs. */
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

/* C in the scope is to end. Any thread, as long as the words are there. */
void ghcomp_hs_interrupt(struct ghcomp_interrupt *scope)
{
    ghcomp_store_relaxed(&scope->wanted, 1u);
}

/* Whether C has got the answer yes, when the scope has been left. */
int ghcomp_hs_interrupt_delivered(const struct ghcomp_interrupt *scope)
{
    return ghcomp_load_relaxed(&scope->delivered) != 0;
}
