/* Calls any C function of the usual shapes, and many of them for one call from Haskell. Called by OpenMP.Batch and
 * OpenMP.Batch.Columns. Tests: test/unit/batch.c, test/hs/library/BatchTest.hs.
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
 * - A float is in the low 32 bits of its register: it is passed as a double whose low half has the float's bits, which
 *   moves do not change.
 * - A result is in rax or xmm0 (x0 or d0). Its upper bits mean nothing, and the reader ignores them.
 * - The call is made as that of a function with variable arguments. The only difference is that al has the number of
 *   vector registers in use; on 64-bit ARM there is none. (There is on Apple's systems, where variable arguments are on
 *   the stack.) So functions with variable arguments may be called, too. C promotes their float arguments to double, so
 *   the Haskell type must have Double.
 *
 * What does not fit is refused when the Haskell program is compiled: a seventh integer or a ninth floating argument
 * would be on the stack; structs, long double and vector types have no Haskell type here.
 *
 * The memory belongs to the calling Haskell thread and is pinned, so a collection during the calls does not move it.
 * The loops do not change errno: each call sees the value that the call before it left.
 */
#include <errno.h>
#include <stdbool.h>
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

/* A record consists of the function, the shape, the integer arguments and the floating ones. The shape contains the
   numbers of both and whether the result is floating. The result overwrites the function. */
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

/* A value's format in memory: its size in bytes (0 .. 8), and these flags. */
enum { FORMAT_BYTES = 0xf, FORMAT_SIGNED = 0x10, FORMAT_FLOATING = 0x20 };

struct ghcomp_hs_column {
    const unsigned char *value; /* the first call's argument */
    int64_t stride;             /* bytes to the next call's argument; 0: all calls get the same */
    int64_t format;
};

/* The calls are made in blocks: first the arguments of a block are brought into the form of registers, column by
   column, then the calls are made, then the results are stored. So formats are decoded once in a block and not in each
   call. A column of adjacent words has that form already: it is read in place, and such results are written in place.
   Arguments that all calls share are fetched only once. */
enum { BLOCK = 64 };

/* The contents of each register for the calls of a block; those of registers without an argument are 0. */
struct registers {
    int generals, floatings; /* arguments */
    const uint64_t *general[GENERAL_REGISTERS], *floating[FLOATING_REGISTERS];
};

static const uint64_t zeros[BLOCK];

/* Whether the column can be read in place: aligned, adjacent words, as GHC's vectors are. */
static inline bool words(const struct ghcomp_hs_column *column)
{
    return (column->format & FORMAT_BYTES) == sizeof(uint64_t) && column->stride == (int64_t)sizeof(uint64_t) &&
           (uintptr_t)column->value % sizeof(uint64_t) == 0;
}

static inline void fetch(uint64_t *to, const struct ghcomp_hs_column *column, int64_t first, int64_t calls)
{
    const unsigned char *from = column->value + first * column->stride;
    int64_t stride = column->stride;
#define FETCH(type)                                                                                                    \
    for (int64_t i = 0; i < calls; i++) {                                                                              \
        type value;                                                                                                    \
        memcpy(&value, from + i * stride, sizeof value);                                                               \
        to[i] = (uint64_t)value;                                                                                       \
    }                                                                                                                  \
    break
    switch (column->format & (FORMAT_BYTES | FORMAT_SIGNED)) {
    case 1: FETCH(uint8_t);
    case 1 | FORMAT_SIGNED: FETCH(int8_t);
    case 2: FETCH(uint16_t);
    case 2 | FORMAT_SIGNED: FETCH(int16_t);
    case 4: FETCH(uint32_t);
    case 4 | FORMAT_SIGNED: FETCH(int32_t);
    default: FETCH(uint64_t);
    }
#undef FETCH
}

static inline void put(unsigned char *to, const uint64_t *from, int64_t bytes, int64_t calls)
{
#define PUT(type)                                                                                                      \
    for (int64_t i = 0; i < calls; i++) {                                                                              \
        type value = (type)from[i];                                                                                    \
        memcpy(to + i * (int64_t)sizeof value, &value, sizeof value);                                                  \
    }                                                                                                                  \
    break
    switch (bytes) {
    case 1: PUT(uint8_t);
    case 2: PUT(uint16_t);
    case 4: PUT(uint32_t);
    case 8: PUT(uint64_t);
    default: break; /* no result */
    }
#undef PUT
}

/* Makes the calls of a block. Most functions have few arguments: for these only as many registers are loaded. (A
   function without integer arguments gets one, which it does not read.) */
static void call_block(uint64_t function, int floating_result, struct registers r, uint64_t *result, int64_t calls)
{
#define G(k) r.general[k][i]
#define F(k) from_bits(r.floating[k][i])
#define CALLS(...)                                                                                                     \
    if (floating_result)                                                                                               \
        for (int64_t i = 0; i < calls; i++)                                                                            \
            result[i] = to_bits(((floating_function *)function)(__VA_ARGS__));                                         \
    else                                                                                                               \
        for (int64_t i = 0; i < calls; i++) result[i] = ((general_function *)function)(__VA_ARGS__);                   \
    break
    switch (r.generals << 4 | r.floatings) {
    case 0x10: CALLS(G(0));
    case 0x20: CALLS(G(0), G(1));
    case 0x30: CALLS(G(0), G(1), G(2));
    case 0x01: CALLS(0, F(0));
    case 0x02: CALLS(0, F(0), F(1));
    case 0x03: CALLS(0, F(0), F(1), F(2));
    case 0x11: CALLS(G(0), F(0));
    default:
        CALLS(G(0), G(1), G(2), G(3), G(4), G(5), F(0), F(1), F(2), F(3), F(4), F(5), F(6), F(7));
    }
#undef CALLS
#undef F
#undef G
}

VISIBLE void ghcomp_hs_batch_columns(uint64_t function, const struct ghcomp_hs_column *columns, int64_t count,
                                     unsigned char *results, int64_t result_format, int64_t calls);

/* Calls the function `calls` times; Haskell has checked that the arguments fit the registers. */
void ghcomp_hs_batch_columns(uint64_t function, const struct ghcomp_hs_column *columns, int64_t count,
                             unsigned char *results, int64_t result_format, int64_t calls)
{
    uint64_t arguments[GENERAL_REGISTERS + FLOATING_REGISTERS][BLOCK], result[BLOCK];
    int64_t result_bytes = result_format & FORMAT_BYTES;
    bool in_place = result_bytes == (int64_t)sizeof(uint64_t) && (uintptr_t)results % sizeof(uint64_t) == 0;
    struct registers r = {0, 0, {0}, {0}};
    const uint64_t **place[GENERAL_REGISTERS + FLOATING_REGISTERS]; /* the register of each column */
    for (int k = 0; k < GENERAL_REGISTERS; k++) r.general[k] = zeros;
    for (int k = 0; k < FLOATING_REGISTERS; k++) r.floating[k] = zeros;
    for (int64_t k = 0; k < count; k++) {
        bool floating = (columns[k].format & FORMAT_FLOATING) != 0;
        place[k] = floating ? &r.floating[r.floatings++] : &r.general[r.generals++];
        *place[k] = arguments[k];
        if (columns[k].stride == 0)
            fetch(arguments[k], &columns[k], 0, calls < BLOCK ? calls : BLOCK);
    }
    for (int64_t first = 0; first < calls; first += BLOCK) {
        int64_t n = calls - first < BLOCK ? calls - first : BLOCK;
        for (int64_t k = 0; k < count; k++) {
            if (words(&columns[k]))
                *place[k] = (const uint64_t *)columns[k].value + first;
            else if (columns[k].stride != 0)
                fetch(arguments[k], &columns[k], first, n);
        }
        uint64_t *to = in_place ? (uint64_t *)results + first : result;
        call_block(function, (result_format & FORMAT_FLOATING) != 0, r, to, n);
        if (!in_place)
            put(results + first * result_bytes, result, result_bytes, n);
    }
}
