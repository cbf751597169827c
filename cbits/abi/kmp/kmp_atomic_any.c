/* Atomic constructs on variables of any type, by a function that combines two values, and the compare constructs.
 * Tests: test/clang/atomics.c. */
#include <string.h>

#include "abi/abi.h"
#include "base/atomic.h"
#include "core/sync/critical.h"

typedef void (*kmp_combine)(void *out, void *left, void *right);

#define BY_SIZE(size, bits)                                                                                           \
    void __kmpc_atomic_##size(struct kmp_ident *loc, int32_t thread, void *left, void *right, kmp_combine combine)    \
    {                                                                                                                 \
        (void)loc, (void)thread;                                                                                      \
        bits was = ghcomp_foreign_load_relaxed((bits *)left), now;                                                    \
        do {                                                                                                          \
            bits old = was;                                                                                           \
            combine(&now, &old, right);                                                                               \
        } while (!ghcomp_foreign_cas_seqcst((bits *)left, &was, now));                                                \
    }

/* `combine` may write its result over its first argument, so the variable is both. */
#define LOCKED(size)                                                                                                  \
    void __kmpc_atomic_##size(struct kmp_ident *loc, int32_t thread, void *left, void *right, kmp_combine combine)    \
    {                                                                                                                 \
        (void)loc, (void)thread;                                                                                      \
        ghcomp_critical_enter(&ghcomp_critical_atomic);                                                               \
        combine(left, left, right);                                                                                   \
        ghcomp_critical_leave(&ghcomp_critical_atomic);                                                               \
    }

BY_SIZE(1, uint8_t)
BY_SIZE(2, uint16_t)
BY_SIZE(4, uint32_t)
BY_SIZE(8, uint64_t)
LOCKED(10)
LOCKED(16)
LOCKED(20)
LOCKED(32)

/* `bool` returns whether the variable had the expected value, `val` the variable's old value. With capture the
   variable's new value is also stored through the last pointer; `bool` does so only on failure, since on success the
   program knows it. */
#define COMPARE(size, type)                                                                                           \
    bool __kmpc_atomic_bool_##size##_cas(struct kmp_ident *loc, int32_t thread, type *left, type expected,            \
                                         type desired)                                                                \
    {                                                                                                                 \
        (void)loc, (void)thread;                                                                                      \
        return ghcomp_foreign_cas_seqcst(left, &expected, desired);                                                   \
    }                                                                                                                 \
    type __kmpc_atomic_val_##size##_cas(struct kmp_ident *loc, int32_t thread, type *left, type expected,             \
                                        type desired)                                                                 \
    {                                                                                                                 \
        (void)loc, (void)thread;                                                                                      \
        ghcomp_foreign_cas_seqcst(left, &expected, desired);                                                          \
        return expected;                                                                                              \
    }                                                                                                                 \
    bool __kmpc_atomic_bool_##size##_cas_cpt(struct kmp_ident *loc, int32_t thread, type *left, type expected,        \
                                             type desired, type *seen)                                                \
    {                                                                                                                 \
        (void)loc, (void)thread;                                                                                      \
        bool same = ghcomp_foreign_cas_seqcst(left, &expected, desired);                                              \
        if (!same)                                                                                                    \
            *seen = expected;                                                                                         \
        return same;                                                                                                  \
    }                                                                                                                 \
    type __kmpc_atomic_val_##size##_cas_cpt(struct kmp_ident *loc, int32_t thread, type *left, type expected,         \
                                            type desired, type *seen)                                                 \
    {                                                                                                                 \
        (void)loc, (void)thread;                                                                                      \
        *seen = ghcomp_foreign_cas_seqcst(left, &expected, desired) ? desired : expected;                             \
        return expected;                                                                                              \
    }

COMPARE(1, int8_t)
COMPARE(2, int16_t)
COMPARE(4, int32_t)
COMPARE(8, int64_t)

GHCOMP_ABI_OBJECT(kmp_atomic_any);
