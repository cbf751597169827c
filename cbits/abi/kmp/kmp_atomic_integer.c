/* __kmpc_atomic_fixedN_*: atomic constructs on integers as calls, which older and Intel's compilers emit.
 * Tests: test/clang/atomics.c.
 *
 * Arithmetic wraps around: it is done in 64 bits without a sign. A shift counts modulo 64. */
#include "abi/kmp/kmp_atomic.h"

#define WRAPPING(x, operator, y) ((uint64_t)(x) operator (uint64_t)(y))

#define SIGNED(name, type, bits)                                                                                      \
    OPERATION(BY_CAS, name, add, type, bits, WRAPPING(x, +, y))                                                       \
    OPERATION(BY_CAS, name, sub, type, bits, WRAPPING(x, -, y))                                                       \
    OPERATION(BY_CAS, name, mul, type, bits, WRAPPING(x, *, y))                                                       \
    OPERATION(BY_CAS, name, div, type, bits, x / y)                                                                   \
    OPERATION(BY_CAS, name, andb, type, bits, x & y)                                                                  \
    OPERATION(BY_CAS, name, orb, type, bits, x | y)                                                                   \
    OPERATION(BY_CAS, name, xor, type, bits, x ^ y)                                                                   \
    OPERATION(BY_CAS, name, shl, type, bits, WRAPPING(x, <<, y & 63))                                                 \
    OPERATION(BY_CAS, name, shr, type, bits, (int64_t)x >> (y & 63))                                                  \
    OPERATION(BY_CAS, name, andl, type, bits, x && y)                                                                 \
    OPERATION(BY_CAS, name, orl, type, bits, x || y)                                                                  \
    OPERATION(BY_CAS, name, max, type, bits, y > x ? y : x)                                                           \
    OPERATION(BY_CAS, name, min, type, bits, y < x ? y : x)                                                           \
    OPERATION(BY_CAS, name, neqv, type, bits, x ^ y)                                                                  \
    OPERATION(BY_CAS, name, eqv, type, bits, x ^ ~y)                                                                  \
    REVERSE(BY_CAS, name, sub, type, bits)                                                                            \
    REVERSE(BY_CAS, name, div, type, bits)                                                                            \
    REVERSE(BY_CAS, name, shl, type, bits)                                                                            \
    REVERSE(BY_CAS, name, shr, type, bits)                                                                            \
    MIXED(BY_CAS, name, mul, float8, type, bits, double, (double)x * y)                                               \
    MIXED(BY_CAS, name, div, float8, type, bits, double, (double)x / y)                                               \
    ACCESS(BY_CAS, name, type, bits)

#define UNSIGNED(name, type)                                                                                          \
    OPERATION(BY_CAS, name, div, type, type, x / y)                                                                   \
    OPERATION(BY_CAS, name, shr, type, type, (uint64_t)x >> (y & 63))                                                 \
    REVERSE(BY_CAS, name, div, type, type)                                                                            \
    REVERSE(BY_CAS, name, shr, type, type)

SIGNED(fixed1, int8_t, uint8_t)
SIGNED(fixed2, int16_t, uint16_t)
SIGNED(fixed4, int32_t, uint32_t)
SIGNED(fixed8, int64_t, uint64_t)
UNSIGNED(fixed1u, uint8_t)
UNSIGNED(fixed2u, uint16_t)
UNSIGNED(fixed4u, uint32_t)
UNSIGNED(fixed8u, uint64_t)

GHCOMP_ABI_OBJECT(kmp_atomic_integer);
