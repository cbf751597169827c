/* __kmpc_atomic_floatN_* and __kmpc_atomic_cmplxN_*: atomic constructs on real and complex numbers as calls.
 * Tests: test/clang/atomics.c.
 *
 * N is the bytes of the number or of its parts; 10 is the extended precision, whose variables have 16. The result of a
 * cmplx4 comes back through a pointer. A maximum or minimum with a NaN operand leaves the variable unchanged. */
#include "abi/kmp/kmp_atomic.h"

#define ARITHMETIC(how, name, type, bits)                                                                             \
    OPERATION(how, name, add, type, bits, x + y)                                                                      \
    OPERATION(how, name, sub, type, bits, x - y)                                                                      \
    OPERATION(how, name, mul, type, bits, x * y)                                                                      \
    OPERATION(how, name, div, type, bits, x / y)                                                                      \
    REVERSE(how, name, sub, type, bits)                                                                               \
    REVERSE(how, name, div, type, bits)

#define REAL(how, name, type, bits)                                                                                   \
    ARITHMETIC(how, name, type, bits)                                                                                 \
    OPERATION(how, name, max, type, bits, y > x ? y : x)                                                              \
    OPERATION(how, name, min, type, bits, y < x ? y : x)                                                              \
    ACCESS(how, name, type, bits)

#define WIDER(name, suffix, type, bits, right_type)                                                                   \
    MIXED(BY_CAS, name, add, suffix, type, bits, right_type, x + y)                                                   \
    MIXED(BY_CAS, name, sub, suffix, type, bits, right_type, x - y)                                                   \
    MIXED(BY_CAS, name, mul, suffix, type, bits, right_type, x * y)                                                   \
    MIXED(BY_CAS, name, div, suffix, type, bits, right_type, x / y)

REAL(BY_CAS, float4, float, uint32_t)
REAL(BY_CAS, float8, double, uint64_t)
REAL(BY_LOCK, float10, long double, )
WIDER(float4, float8, float, uint32_t, double)

ARITHMETIC(BY_LOCK, cmplx8, _Complex double, )
ACCESS(BY_LOCK, cmplx8, _Complex double, )
ARITHMETIC(BY_LOCK, cmplx10, _Complex long double, )
ACCESS(BY_LOCK, cmplx10, _Complex long double, )
WIDER(cmplx4, cmplx8, _Complex float, uint64_t, _Complex double)

/* From here on captured values go through a pointer. */
#undef CAPTURE
#define CAPTURE(how, entry, type, bits, right_type, next)                                                             \
    void __kmpc_atomic_##entry(struct kmp_ident *loc, int32_t thread, type *left, right_type right, type *out,        \
                               int after)                                                                             \
    {                                                                                                                 \
        (void)loc, (void)thread;                                                                                      \
        how(type, bits, left, next);                                                                                  \
        *out = after ? new : old;                                                                                     \
    }

ARITHMETIC(BY_CAS, cmplx4, _Complex float, uint64_t)
READ(BY_CAS, cmplx4, _Complex float, uint64_t)
UPDATE(BY_CAS, cmplx4_wr, _Complex float, uint64_t, _Complex float, right)

void __kmpc_atomic_cmplx4_swp(struct kmp_ident *loc, int32_t thread, _Complex float *left, _Complex float right,
                              _Complex float *out)
{
    (void)loc, (void)thread;
    BY_CAS(_Complex float, uint64_t, left, right);
    (void)new;
    *out = old;
}

GHCOMP_ABI_OBJECT(kmp_atomic_real);
