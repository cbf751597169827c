/* Interrupting C calls. Protocol: interrupt.c. */
#pragma once

#include "core/state/types.h"

/* A scope in which C can poll whether it is to end: pinned words, zeroed by OpenMP.Interrupt. */
struct ghcomp_interrupt {
    _Atomic uint32_t wanted;         /* C is to end; set by any thread, atomic(relaxed): a hint */
    _Atomic uint32_t delivered;      /* a poll in this scope, or in one inside it, has returned true; atomic(relaxed),
                                        read by the scope's thread when all its regions have ended */
    /* Both are written before the member enters the scope; NULL: none. */
    struct ghcomp_interrupt *outer;  /* the scope around this one ... */
    struct ghcomp_interrupt *before; /* ... and the one that the member was in before */
};

/* Scopes in this process. atomic(relaxed): a thread finds its own scope counted, and those of the regions that it is
   in. */
extern _Atomic uint32_t ghcomp_interrupt_scopes GHCOMP_OWN;

/* The innermost scope that the member is in; NULL: none. */
struct ghcomp_interrupt *ghcomp_interrupt_of(const struct ghcomp_member *self);

/* The calling member enters the scope, and leaves it. Both calls come from the same thread, outside of regions that
   were opened between them. */
void ghcomp_interrupt_enter(struct ghcomp_interrupt *scope);
void ghcomp_interrupt_leave(struct ghcomp_interrupt *scope);

/* Whether a scope that the calling thread works for is to end. Any thread. */
bool ghcomp_interrupt_delivered(void);
