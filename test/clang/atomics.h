/* Macros of atomics.c: each defines a function that calls an operation's entries for a list of pairs, TYPE_pairs, and
 * compares what they leave in the variable with plain C, where a is the variable's value and b the other operand. */
#pragma once

#include "kmp.h"

#define DECLARE_CAPTURE(entry, type) type __kmpc_atomic_##entry(place *, int32_t, type *, type, int);
#define CAPTURED(entry, to, variable, right, after) to = __kmpc_atomic_##entry(&here, 0, variable, right, after)
#define DECLARE_EXCHANGE(name, type) type __kmpc_atomic_##name##_swp(place *, int32_t, type *, type);
#define EXCHANGED(name, to, variable, right) to = __kmpc_atomic_##name##_swp(&here, 0, variable, right)

#define COUNT(type) (sizeof type##_pairs / sizeof type##_pairs[0])
#define ALWAYS(a, b) 1
#define BOTH(a, b) ((a) != 0 && (b) != 0)
#define SHIFTABLE(a, b) ((b) >= 0 && (b) < 8 * (int)sizeof(a) && (a) >= 0 && (a) <= 63)

#define DECLARE(entry, type)                                                                                          \
    void __kmpc_atomic_##entry(place *, int32_t, type *, type);                                                       \
    DECLARE_CAPTURE(entry##_cpt, type)

/* The entry, and its captures of the value before and after it. */
#define TRY(entry, capture, type, expected)                                                                           \
    do {                                                                                                              \
        type variable = a, got, want = (type)(expected);                                                              \
        __kmpc_atomic_##entry(&here, 0, &variable, b);                                                                \
        CHECK(variable == want);                                                                                      \
        variable = a;                                                                                                 \
        CAPTURED(capture, got, &variable, b, 1);                                                                      \
        CHECK(variable == want && got == want);                                                                       \
        variable = a;                                                                                                 \
        CAPTURED(capture, got, &variable, b, 0);                                                                      \
        CHECK(variable == want && got == a);                                                                          \
    } while (0)

#define FOR_PAIRS(type, condition)                                                                                    \
    for (size_t i = 0; i < COUNT(type); i++)                                                                          \
        for (type a = type##_pairs[i][0], b = type##_pairs[i][1], once = 1; once != 0; once = 0)                      \
            if (condition(a, b))

#define OPERATION(name, op, type, expected)                                                                           \
    DECLARE(name##_##op, type)                                                                                        \
    static void name##_##op(void)                                                                                     \
    {                                                                                                                 \
        FOR_PAIRS(type, ALWAYS)                                                                                       \
        TRY(name##_##op, name##_##op##_cpt, type, expected);                                                          \
    }
#define BOTH_WAYS(name, op, type, condition, expected, reversed)                                                      \
    DECLARE(name##_##op, type)                                                                                        \
    void __kmpc_atomic_##name##_##op##_rev(place *, int32_t, type *, type);                                           \
    DECLARE_CAPTURE(name##_##op##_cpt_rev, type)                                                                      \
    static void name##_##op(void)                                                                                     \
    {                                                                                                                 \
        int tried = 0;                                                                                                \
        FOR_PAIRS(type, condition)                                                                                    \
        {                                                                                                             \
            TRY(name##_##op, name##_##op##_cpt, type, expected);                                                      \
            TRY(name##_##op##_rev, name##_##op##_cpt_rev, type, reversed);                                            \
            tried++;                                                                                                  \
        }                                                                                                             \
        CHECK(tried > 0);                                                                                             \
    }
#define REVERSIBLE(name, op, type, expected, reversed) BOTH_WAYS(name, op, type, ALWAYS, expected, reversed)
#define REVERSIBLE_NONZERO(name, op, type, expected, reversed) BOTH_WAYS(name, op, type, BOTH, expected, reversed)
#define SHIFTS(name, type)                                                                                            \
    BOTH_WAYS(name, shl, type, SHIFT_BOTH, (uint64_t)a << b, (uint64_t)b << a)                                        \
    SHIFT_RIGHT(name, type)
#define SHIFT_RIGHT(name, type) BOTH_WAYS(name, shr, type, SHIFT_BOTH, a >> b, b >> a)
#define SHIFT_BOTH(a, b) (SHIFTABLE(a, b) && SHIFTABLE(b, a))

/* The other operand has another type; it is the constant `right`. */
#define MIXED(name, op, suffix, type, right_type, expected, right)                                                    \
    void __kmpc_atomic_##name##_##op##_##suffix(place *, int32_t, type *, right_type);                                \
    static void name##_##op##_##suffix(void)                                                                          \
    {                                                                                                                 \
        for (size_t i = 0; i < COUNT(type); i++) {                                                                    \
            type a = type##_pairs[i][0], variable = a;                                                                \
            __kmpc_atomic_##name##_##op##_##suffix(&here, 0, &variable, right);                                       \
            CHECK(variable == (type)(expected));                                                                      \
        }                                                                                                             \
    }

#define ACCESS(name, type)                                                                                            \
    type __kmpc_atomic_##name##_rd(place *, int32_t, type *);                                                         \
    void __kmpc_atomic_##name##_wr(place *, int32_t, type *, type);                                                   \
    DECLARE_EXCHANGE(name, type)                                                                                      \
    static void name##_access(void)                                                                                   \
    {                                                                                                                 \
        FOR_PAIRS(type, ALWAYS)                                                                                       \
        {                                                                                                             \
            type variable = a, got;                                                                                   \
            CHECK(__kmpc_atomic_##name##_rd(&here, 0, &variable) == a && variable == a);                              \
            __kmpc_atomic_##name##_wr(&here, 0, &variable, b);                                                        \
            CHECK(variable == b);                                                                                     \
            EXCHANGED(name, got, &variable, a);                                                                       \
            CHECK(got == b && variable == a);                                                                         \
        }                                                                                                             \
    }

#define COMPARE(size, type)                                                                                           \
    _Bool __kmpc_atomic_bool_##size##_cas(place *, int32_t, type *, type, type);                                      \
    type __kmpc_atomic_val_##size##_cas(place *, int32_t, type *, type, type);                                        \
    _Bool __kmpc_atomic_bool_##size##_cas_cpt(place *, int32_t, type *, type, type, type *);                          \
    type __kmpc_atomic_val_##size##_cas_cpt(place *, int32_t, type *, type, type, type *);                            \
    static void compare_##size(void)                                                                                  \
    {                                                                                                                 \
        type x = 5, seen = 99;                                                                                        \
        CHECK(!__kmpc_atomic_bool_##size##_cas(&here, 0, &x, 4, 6) && x == 5);                                        \
        CHECK(__kmpc_atomic_bool_##size##_cas(&here, 0, &x, 5, -6) && x == -6);                                       \
        CHECK(__kmpc_atomic_val_##size##_cas(&here, 0, &x, 4, 7) == -6 && x == -6);                                   \
        CHECK(__kmpc_atomic_val_##size##_cas(&here, 0, &x, -6, 7) == -6 && x == 7);                                   \
        CHECK(!__kmpc_atomic_bool_##size##_cas_cpt(&here, 0, &x, 4, 8, &seen) && x == 7 && seen == 7);                \
        CHECK(__kmpc_atomic_bool_##size##_cas_cpt(&here, 0, &x, 7, 8, &seen) && x == 8);                              \
        CHECK(__kmpc_atomic_val_##size##_cas_cpt(&here, 0, &x, 4, 9, &seen) == 8 && x == 8 && seen == 8);             \
        CHECK(__kmpc_atomic_val_##size##_cas_cpt(&here, 0, &x, 8, 9, &seen) == 8 && x == 9 && seen == 9);             \
    }
