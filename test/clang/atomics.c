/* Atomic constructs as calls: each operation on each type against plain C, forward, reversed and with capture; reads,
 * writes, exchanges, compares; functions on variables of any size; and threads that update one variable at once.
 *
 * symbols: __kmpc_atomic_*
 * limit: 60
 * cflags: -ffp-contract=off
 */
#include <complex.h>
#include <omp.h>

#include "atomics.h"

enum { THREADS = 4, ROUNDS = 2000 };

/* --- integers: pairs at which no operation overflows in C, and wrap-around apart ---------------------------------- */

#define PAIRS(type, ...) static const type type##_pairs[][2] = {__VA_ARGS__}
typedef int8_t i1;
typedef int16_t i2;
typedef int32_t i4;
typedef int64_t i8;
typedef uint8_t u1;
typedef uint16_t u2;
typedef uint32_t u4;
typedef uint64_t u8;
#define SMALL {5, 3}, {-7, 2}, {0, 5}, {9, 1}, {-1, 3}, {6, 6}, {1, 1}
PAIRS(i1, SMALL);
PAIRS(i2, SMALL, {-300, 2}, {4, 7});
PAIRS(i4, SMALL, {-70000, 11}, {4, 9});
PAIRS(i8, SMALL, {-5000000000, 13}, {12, 10});
#define LARGE(type) {(type)-1, 3}, {(type)-9, 2}, {200, 7}, {6, 5}, {1, 1}
PAIRS(u1, LARGE(u1));
PAIRS(u2, LARGE(u2));
PAIRS(u4, LARGE(u4));
PAIRS(u8, LARGE(u8));
typedef float r4;
typedef double r8;
typedef long double r10;
#define REALS {1.5, 0.25}, {-3, 7}, {0, 2}, {1e10, -1e-10}
PAIRS(r4, REALS);
PAIRS(r8, REALS, {1e200, 3});
PAIRS(r10, REALS, {1e4000L, 3});
typedef float _Complex c4;
typedef double _Complex c8;
typedef long double _Complex c10;
#define COMPLEX {1 + 2 * I, 3 - I}, {0, 2 * I}, {-5 + 0.5 * I, 1}
PAIRS(c4, COMPLEX);
PAIRS(c8, COMPLEX);
PAIRS(c10, COMPLEX);

#define SIGNED_OPERATIONS(name, type)                                                                                 \
    OPERATION(name, add, type, a + b)                                                                                 \
    REVERSIBLE(name, sub, type, a - b, b - a)                                                                         \
    OPERATION(name, mul, type, a * b)                                                                                 \
    REVERSIBLE_NONZERO(name, div, type, a / b, b / a)                                                                 \
    OPERATION(name, andb, type, a & b)                                                                                \
    OPERATION(name, orb, type, a | b)                                                                                 \
    OPERATION(name, xor, type, a ^ b)                                                                                 \
    OPERATION(name, neqv, type, a ^ b)                                                                                \
    OPERATION(name, eqv, type, ~(a ^ b))                                                                              \
    OPERATION(name, andl, type, a && b)                                                                               \
    OPERATION(name, orl, type, a || b)                                                                                \
    OPERATION(name, max, type, a > b ? a : b)                                                                         \
    OPERATION(name, min, type, a < b ? a : b)                                                                         \
    SHIFTS(name, type)                                                                                                \
    ACCESS(name, type)                                                                                                \
    MIXED(name, mul, float8, type, double, a * 2.5, 2.5)                                                              \
    MIXED(name, div, float8, type, double, a / 2.5, 2.5)
#define UNSIGNED_OPERATIONS(name, type)                                                                               \
    REVERSIBLE_NONZERO(name, div, type, a / b, b / a)                                                                 \
    SHIFT_RIGHT(name, type)
#define REAL_OPERATIONS(name, type)                                                                                   \
    COMPLEX_OPERATIONS(name, type)                                                                                    \
    OPERATION(name, max, type, a > b ? a : b)                                                                         \
    OPERATION(name, min, type, a < b ? a : b)
#define COMPLEX_OPERATIONS(name, type)                                                                                \
    OPERATION(name, add, type, a + b)                                                                                 \
    REVERSIBLE(name, sub, type, a - b, b - a)                                                                         \
    OPERATION(name, mul, type, a * b)                                                                                 \
    REVERSIBLE_NONZERO(name, div, type, a / b, b / a)                                                                 \
    ACCESS(name, type)

SIGNED_OPERATIONS(fixed1, i1)
SIGNED_OPERATIONS(fixed2, i2)
SIGNED_OPERATIONS(fixed4, i4)
SIGNED_OPERATIONS(fixed8, i8)
UNSIGNED_OPERATIONS(fixed1u, u1)
UNSIGNED_OPERATIONS(fixed2u, u2)
UNSIGNED_OPERATIONS(fixed4u, u4)
UNSIGNED_OPERATIONS(fixed8u, u8)
REAL_OPERATIONS(float4, r4)
REAL_OPERATIONS(float8, r8)
REAL_OPERATIONS(float10, r10)
COMPLEX_OPERATIONS(cmplx8, c8)
COMPLEX_OPERATIONS(cmplx10, c10)
MIXED(float4, add, float8, r4, double, a + 2.5, 2.5)
MIXED(float4, sub, float8, r4, double, a - 2.5, 2.5)
MIXED(float4, mul, float8, r4, double, a * 2.5, 2.5)
MIXED(float4, div, float8, r4, double, a / 2.5, 2.5)

/* The results of a cmplx4 come back through a pointer. */
#undef DECLARE_CAPTURE
#define DECLARE_CAPTURE(entry, type) void __kmpc_atomic_##entry(place *, int32_t, type *, type, type *, int);
#undef CAPTURED
#define CAPTURED(entry, to, variable, right, after) __kmpc_atomic_##entry(&here, 0, variable, right, &to, after)
#undef DECLARE_EXCHANGE
#define DECLARE_EXCHANGE(name, type) void __kmpc_atomic_##name##_swp(place *, int32_t, type *, type, type *);
#undef EXCHANGED
#define EXCHANGED(name, to, variable, right) __kmpc_atomic_##name##_swp(&here, 0, variable, right, &to)
COMPLEX_OPERATIONS(cmplx4, c4)
MIXED(cmplx4, add, cmplx8, c4, c8, a + (2 - I), 2 - I)
MIXED(cmplx4, sub, cmplx8, c4, c8, a - (2 - I), 2 - I)
MIXED(cmplx4, mul, cmplx8, c4, c8, a * (2 - I), 2 - I)
MIXED(cmplx4, div, cmplx8, c4, c8, a / (2 - I), 2 - I)

#define RUN_COMPLEX(name) name##_add(), name##_sub(), name##_mul(), name##_div(), name##_access()
#define RUN_REAL(name) RUN_COMPLEX(name), name##_max(), name##_min()
#define RUN_SIGNED(name)                                                                                              \
    RUN_REAL(name), name##_andb(), name##_orb(), name##_xor(), name##_neqv(), name##_eqv(), name##_andl(),            \
        name##_orl(), name##_shl(), name##_shr(), name##_mul_float8(), name##_div_float8()
#define RUN_WIDER(name, suffix)                                                                                       \
    name##_add_##suffix(), name##_sub_##suffix(), name##_mul_##suffix(), name##_div_##suffix()

static void operations(void)
{
    RUN_SIGNED(fixed1), RUN_SIGNED(fixed2), RUN_SIGNED(fixed4), RUN_SIGNED(fixed8);
    fixed1u_div(), fixed1u_shr(), fixed2u_div(), fixed2u_shr();
    fixed4u_div(), fixed4u_shr(), fixed8u_div(), fixed8u_shr();
    RUN_REAL(float4), RUN_REAL(float8), RUN_REAL(float10);
    RUN_COMPLEX(cmplx4), RUN_COMPLEX(cmplx8), RUN_COMPLEX(cmplx10);
    RUN_WIDER(float4, float8), RUN_WIDER(cmplx4, cmplx8);
    i1 edge = 127;
    __kmpc_atomic_fixed1_add(&here, 0, &edge, 1);
    CHECK(edge == -128);
    r8 nan = __builtin_nan("");
    __kmpc_atomic_float8_max(&here, 0, &nan, 1);
    CHECK(nan != nan);
}

/* --- compares, and variables of any size -------------------------------------------------------------------------- */

COMPARE(1, i1)
COMPARE(2, i2)
COMPARE(4, i4)
COMPARE(8, i8)

struct any {
    uint8_t byte[32];
};
static int any_size;

/* Each byte is a counter of its own. */
static void combine(void *out, void *left, void *right)
{
    for (int i = 0; i < any_size; i++)
        ((uint8_t *)out)[i] = (uint8_t)(((uint8_t *)left)[i] + ((uint8_t *)right)[i]);
}

#define ANY(size)                                                                                                     \
    void __kmpc_atomic_##size(place *, int32_t, void *, void *, void (*)(void *, void *, void *));                    \
    static void any_##size(void)                                                                                      \
    {                                                                                                                 \
        static _Alignas(16) struct any sum, one;                                                                      \
        any_size = size;                                                                                              \
        for (int i = 0; i < size; i++)                                                                                \
            one.byte[i] = (uint8_t)(i + 1);                                                                           \
        _Pragma("omp parallel num_threads(THREADS)") for (int n = 0; n < 10; n++)                                     \
            __kmpc_atomic_##size(&here, thread_number(), &sum, &one, combine);                                        \
        for (int i = 0; i < 32; i++)                                                                                  \
            CHECK(sum.byte[i] == (uint8_t)(i < size ? (i + 1) * 10 * THREADS : 0));                                   \
    }
ANY(1)
ANY(2)
ANY(4)
ANY(8)
ANY(10)
ANY(16)
ANY(20)
ANY(32)

/* --- threads ------------------------------------------------------------------------------------------------------ */

#define TOGETHER(name, type)                                                                                          \
    do {                                                                                                              \
        static type sum;                                                                                              \
        _Pragma("omp parallel num_threads(THREADS)") for (int i = 0; i < ROUNDS; i++)                                 \
        {                                                                                                             \
            __kmpc_atomic_##name##_add(&here, thread_number(), &sum, 3);                                              \
            __kmpc_atomic_##name##_sub(&here, thread_number(), &sum, 2);                                              \
        }                                                                                                             \
        CHECK(sum == (type)(THREADS * ROUNDS));                                                                       \
    } while (0)

int main(void)
{
    omp_set_dynamic(0);
    operations();
    compare_1(), compare_2(), compare_4(), compare_8();
    any_1(), any_2(), any_4(), any_8(), any_10(), any_16(), any_20(), any_32();
    TOGETHER(fixed1, i1);
    TOGETHER(fixed2, i2);
    TOGETHER(fixed4, i4);
    TOGETHER(fixed8, i8);
    TOGETHER(float4, r4);
    TOGETHER(float8, r8);
    TOGETHER(float10, r10);
    TOGETHER(cmplx4, c4);
    TOGETHER(cmplx8, c8);
    TOGETHER(cmplx10, c10);
    return 0;
}
