/* The definitions of libomp's atomic entries: macros that kmp_atomic_integer.c and kmp_atomic_real.c fill in with types
 * and operations. Tests: test/clang/atomics.c.
 *
 * An operation is a function of the variable's value x and the other operand y. Each has up to four entries:
 *
 *     OP            x = x OP y
 *     OP_rev        x = y OP x
 *     OP_cpt        x = x OP y, and the result is x after it (after != 0) or before it
 *     OP_cpt_rev    the same of x = y OP x
 *
 * `how` is BY_CAS for variables that a compare-and-swap fits, whose bits have the type `bits`, or BY_LOCK for others:
 * one lock serves all of these in the process, gcc's code and __kmpc_atomic_start included (core/sync/critical.c). */
#pragma once

#include <string.h>

#include "abi/abi.h"
#include "base/atomic.h"
#include "core/sync/critical.h"

/* Sets `old` and `new`; `next` is an expression of `old`. */
#define BY_CAS(type, bits, left, next)                                                                                \
    type old, new;                                                                                                    \
    do {                                                                                                              \
        bits was = ghcomp_foreign_load_relaxed((bits *)(left)), now;                                                  \
        for (;;) {                                                                                                    \
            memcpy(&old, &was, sizeof old);                                                                           \
            new = (next);                                                                                             \
            memcpy(&now, &new, sizeof now);                                                                           \
            if (ghcomp_foreign_cas_seqcst((bits *)(left), &was, now))                                                 \
                break;                                                                                                \
        }                                                                                                             \
    } while (0)

#define BY_LOCK(type, bits, left, next)                                                                               \
    type old, new;                                                                                                    \
    do {                                                                                                              \
        ghcomp_critical_enter(&ghcomp_critical_atomic);                                                               \
        old = *(left);                                                                                                \
        new = (next);                                                                                                 \
        *(left) = new;                                                                                                \
        ghcomp_critical_leave(&ghcomp_critical_atomic);                                                               \
    } while (0)

#define BY_CAS_READ(value, bits, left)                                                                                \
    do {                                                                                                              \
        bits now = ghcomp_foreign_load_seqcst((bits *)(left));                                                        \
        memcpy(&value, &now, sizeof value);                                                                           \
    } while (0)

#define BY_LOCK_READ(value, bits, left)                                                                               \
    do {                                                                                                              \
        ghcomp_critical_enter(&ghcomp_critical_atomic);                                                               \
        value = *(left);                                                                                              \
        ghcomp_critical_leave(&ghcomp_critical_atomic);                                                               \
    } while (0)

/* The common part of the entries. */
#define UPDATE(how, entry, type, bits, right_type, next)                                                              \
    void __kmpc_atomic_##entry(struct kmp_ident *loc, int32_t thread, type *left, right_type right)                   \
    {                                                                                                                 \
        (void)loc, (void)thread;                                                                                      \
        how(type, bits, left, next);                                                                                  \
        (void)old, (void)new;                                                                                         \
    }
#define CAPTURE(how, entry, type, bits, right_type, next)                                                             \
    type __kmpc_atomic_##entry(struct kmp_ident *loc, int32_t thread, type *left, right_type right, int after)        \
    {                                                                                                                 \
        (void)loc, (void)thread;                                                                                      \
        how(type, bits, left, next);                                                                                  \
        return after ? new : old;                                                                                     \
    }

/* One operation: the function, then its entries. */
#define FUNCTION(name, op, type, right_type, expression)                                                              \
    static inline type name##_##op(type x, right_type y)                                                              \
    {                                                                                                                 \
        return (type)(expression);                                                                                    \
    }
#define OPERATION(how, name, op, type, bits, expression)                                                              \
    FUNCTION(name, op, type, type, expression)                                                                        \
    UPDATE(how, name##_##op, type, bits, type, name##_##op(old, right))                                               \
    CAPTURE(how, name##_##op##_cpt, type, bits, type, name##_##op(old, right))
#define REVERSE(how, name, op, type, bits)                                                                            \
    UPDATE(how, name##_##op##_rev, type, bits, type, name##_##op(right, old))                                         \
    CAPTURE(how, name##_##op##_cpt_rev, type, bits, type, name##_##op(right, old))
/* An operation whose other operand has another type, named by `suffix`. */
#define MIXED(how, name, op, suffix, type, bits, right_type, expression)                                              \
    FUNCTION(name, op##_##suffix, type, right_type, expression)                                                       \
    UPDATE(how, name##_##op##_##suffix, type, bits, right_type, name##_##op##_##suffix(old, right))

#define READ(how, name, type, bits)                                                                                   \
    type __kmpc_atomic_##name##_rd(struct kmp_ident *loc, int32_t thread, type *left)                                 \
    {                                                                                                                 \
        (void)loc, (void)thread;                                                                                      \
        type value;                                                                                                   \
        how##_READ(value, bits, left);                                                                                \
        return value;                                                                                                 \
    }
/* read, write, and the exchange, which returns the old value. */
#define ACCESS(how, name, type, bits)                                                                                 \
    READ(how, name, type, bits)                                                                                       \
    UPDATE(how, name##_wr, type, bits, type, right)                                                                   \
    type __kmpc_atomic_##name##_swp(struct kmp_ident *loc, int32_t thread, type *left, type right)                    \
    {                                                                                                                 \
        (void)loc, (void)thread;                                                                                      \
        how(type, bits, left, right);                                                                                 \
        (void)new;                                                                                                    \
        return old;                                                                                                   \
    }
