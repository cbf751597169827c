/* Interrupting C calls. Protocol: interrupt.c. */
#pragma once

#include "core/state/types.h"

/* A scope in which C can poll whether it is to end: pinned words, zeroed by OpenMP.Interrupt. */
struct ghcomp_interrupt {
    _Atomic uint32_t wanted;         /* C is to end; set by any thread, atomic(relaxed): a hint */
    _Atomic uint32_t delivered;      /* C has got the answer yes, here or in a scope inside; atomic(relaxed), read by
                                        the scope's thread when all regions in it have ended */
    /* Written before the scope is the member's; NULL: none. */
    struct ghcomp_interrupt *outer;  /* the scope around this one ... */
    struct ghcomp_interrupt *before; /* ... and that of the same member */
};

/* Scopes in this process. atomic(relaxed): a thread finds its own scope counted, and those of the regions that it is
   in. */
extern _Atomic uint32_t ghcomp_interrupt_scopes GHCOMP_OWN;

/* The innermost scope that the member is in; NULL: none. */
struct ghcomp_interrupt *ghcomp_interrupt_of(const struct ghcomp_member *self);

/* The calling member enters the scope, and leaves it; both in the same thread, and neither inside of a region that was
   opened in between. */
void ghcomp_interrupt_enter(struct ghcomp_interrupt *scope);
void ghcomp_interrupt_leave(struct ghcomp_interrupt *scope);

/* Whether a scope that the calling thread works for is to end. Any thread. */
bool ghcomp_interrupt_delivered(void);
