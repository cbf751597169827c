/* Calls any C function of the usual shapes, and many of them for one call from Haskell. Called by GHC.OpenMP.Batch and
 * GHC.OpenMP.Batch.Columns. Tests: test/unit/batch.c, test/hs/library/BatchTest.hs.
 *
 * One caller serves all shapes because of how the System V ABI for x86-64 passes arguments. Only each argument's class
 * matters: the first six integers and pointers go to rdi, rsi, rdx, rcx, r8 and r9, and the first eight floats and
 * doubles to xmm0 .. xmm7. Each class keeps its own order, whatever arguments of the other class stand in between. The
 * procedure call standard of 64-bit ARM (AAPCS64) does the same with x0 .. x7, of which six are used here, and
 * d0 .. d7. So
 *
 *     f(int, double, char *)    and    f(int, char *, double)
 *
 * are called in the same way, and a function reads only the registers of its own parameters. All of these registers are
 * caller-saved, so loading the rest of them does no harm. The caller below always loads all fourteen.
 *
 * - An integer narrower than 64 bits is in the low bits of its register. Both leave the rest open, but compilers for
 *   x86-64 rely on an extension to 32 bits. Haskell extends to 64 bits by the type's sign, which includes that.
 * - A float is in the low 32 bits of its register: a double whose low half is the float's bits. Moving it leaves the
 *   bits as they are.
 * - A result is in rax or xmm0 (x0 or d0). Its upper bits mean nothing, and the reader ignores them.
 * - The call is made as that of a function with variable arguments. The only difference is that al has the number of
 *   vector registers in use; on 64-bit ARM there is none. (There is on Apple's systems, where variable arguments are on
 *   the stack.) So functions with variable arguments may be called too. Their float arguments are doubles (C promotes
 *   them), and the Haskell type must say so.
 *
 * What does not fit is refused when the Haskell program is compiled: a seventh integer or a ninth floating argument
 * would be on the stack; structs, long double and vector types have no Haskell type here.
 *
 * The memory belongs to the calling Haskell thread and is pinned, so a collection during the calls does not move it.
 * The loops do not change errno: each call sees the value that the call before it left.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#if !defined(__LP64__) || defined(__APPLE__) || !(defined(__x86_64__) || defined(__aarch64__))
#error "ghc-openmp: batched calls (cbits/haskell/batch.c) know only the calling conventions of 64-bit x86 and ARM Linux"
#endif

#define VISIBLE __attribute__((visibility("default")))

enum { GENERAL_REGISTERS = 6, FLOATING_REGISTERS = 8 };

typedef uint64_t general_function(uint64_t, ...);
typedef double floating_function(uint64_t, ...);

static inline double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t to_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Calls the function with these six general and eight floating registers; returns the bits of its result. */
static inline uint64_t call(uint64_t function, int floating_result, const uint64_t *g, const uint64_t *f)
{
#define REGISTERS                                                                                                      \
    g[0], g[1], g[2], g[3], g[4], g[5], from_bits(f[0]), from_bits(f[1]), from_bits(f[2]), from_bits(f[3]),            \
        from_bits(f[4]), from_bits(f[5]), from_bits(f[6]), from_bits(f[7])
    if (floating_result)
        return to_bits(((floating_function *)function)(REGISTERS));
    return ((general_function *)function)(REGISTERS);
#undef REGISTERS
}

/* --- a batch ------------------------------------------------------------------------------------------------------ */

/* A record is the function, the shape, the integer arguments and the floating ones. The shape has the numbers of both
   and whether the result is floating. The result overwrites the function. */
enum { RECORD_FUNCTION, RECORD_SHAPE, RECORD_ARGUMENTS };

VISIBLE void ghcomp_hs_batch_run(uint64_t *record, const uint64_t *end);
VISIBLE int ghcomp_hs_get_errno(void);
VISIBLE void ghcomp_hs_set_errno(int value);

/* Executes the records in order. The buffer has fourteen more words after the last record, since the registers that a
   record has no arguments for are loaded from the words that follow it. */
void ghcomp_hs_batch_run(uint64_t *record, const uint64_t *end)
{
    while (record < end) {
        uint64_t shape = record[RECORD_SHAPE];
        uint64_t *floating = record + RECORD_ARGUMENTS + (shape & 0xff);
        uint64_t *next = floating + (shape >> 8 & 0xff);
        record[RECORD_FUNCTION] =
            call(record[RECORD_FUNCTION], (int)(shape >> 16), record + RECORD_ARGUMENTS, floating);
        record = next;
    }
}

int ghcomp_hs_get_errno(void)
{
    return errno;
}

void ghcomp_hs_set_errno(int value)
{
    errno = value;
}

/* --- one function over columns ------------------------------------------------------------------------------------ */

/* How a value lies in memory: its size in bytes (0 .. 8) and these bits. */
enum { FORMAT_BYTES = 0xf, FORMAT_SIGNED = 0x10, FORMAT_FLOATING = 0x20 };

struct ghcomp_hs_column {
    const unsigned char *value; /* the first call's argument */
    int64_t stride;             /* bytes to the next call's argument; 0: all calls get the same */
    int64_t format;
};

static inline uint64_t fetch(const unsigned char *from, int64_t format)
{
    union {
        int8_t s8;
        uint8_t u8;
        int16_t s16;
        uint16_t u16;
        int32_t s32;
        uint32_t u32;
        uint64_t u64;
    } value;

    switch (format & (FORMAT_BYTES | FORMAT_SIGNED)) {
    case 1: memcpy(&value, from, 1); return value.u8;
    case 1 | FORMAT_SIGNED: memcpy(&value, from, 1); return (uint64_t)value.s8;
    case 2: memcpy(&value, from, 2); return value.u16;
    case 2 | FORMAT_SIGNED: memcpy(&value, from, 2); return (uint64_t)value.s16;
    case 4: memcpy(&value, from, 4); return value.u32;
    case 4 | FORMAT_SIGNED: memcpy(&value, from, 4); return (uint64_t)value.s32;
    default: memcpy(&value, from, 8); return value.u64;
    }
}

static inline unsigned char *put(unsigned char *to, uint64_t value, int64_t bytes)
{
    switch (bytes) {
    case 1: memcpy(to, &value, 1); break;
    case 2: memcpy(to, &value, 2); break;
    case 4: memcpy(to, &value, 4); break;
    case 8: memcpy(to, &value, 8); break;
    default: break; /* no result */
    }
    return to + bytes;
}

VISIBLE void ghcomp_hs_batch_columns(uint64_t function, const struct ghcomp_hs_column *columns, int64_t count,
                                     unsigned char *results, int64_t result_format, int64_t calls);

/* Calls the function `calls` times; Haskell has checked that the arguments fit the registers. */
void ghcomp_hs_batch_columns(uint64_t function, const struct ghcomp_hs_column *columns, int64_t count,
                             unsigned char *results, int64_t result_format, int64_t calls)
{
    uint64_t general[GENERAL_REGISTERS] = {0}, floating[FLOATING_REGISTERS] = {0};
    uint64_t *target[GENERAL_REGISTERS + FLOATING_REGISTERS];
    uint64_t *next_general = general, *next_floating = floating;

    for (int64_t k = 0; k < count; k++)
        target[k] = columns[k].format & FORMAT_FLOATING ? next_floating++ : next_general++;

    for (int64_t i = 0; i < calls; i++) {
        for (int64_t k = 0; k < count; k++)
            *target[k] = fetch(columns[k].value + i * columns[k].stride, columns[k].format);
        uint64_t result = call(function, (result_format & FORMAT_FLOATING) != 0, general, floating);
        results = put(results, result, result_format & FORMAT_BYTES);
    }
}
