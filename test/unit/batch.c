/* Batched calls (haskell/batch.c) of C functions of many shapes: which register has which argument, narrow integers,
   floats, functions with variable arguments. The Haskell side is tested by test/hs/library/BatchTest.hs. */
#include "unit.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

void ghcomp_hs_batch_run(uint64_t *record, const uint64_t *end);
void ghcomp_hs_batch_columns(uint64_t function, const void *columns, int64_t count, unsigned char *results,
                             int64_t result_format, int64_t calls);

enum { INTEGER_RESULT, FLOATING_RESULT, SPARE_WORDS = 14 };

static uint64_t of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double as_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float as_float(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

/* --- the functions ------------------------------------------------------------------------------------------------ */

static int mixed(int a, double b, const char *c)
{
    return a + (int)(b * 10) + c[1];
}

static int mixed_otherwise(int a, const char *c, double b)
{
    return mixed(a, b, c);
}

static double all_registers(int64_t a, double p, int64_t b, double q, int64_t c, double r, int64_t d, double s,
                            int64_t e, double t, int64_t f, double u, double v, double w)
{
    double floating = p / 2 + q / 4 + r / 8 + s / 16 + t / 32 + u / 64 + v / 128 + w / 256;
    return (double)(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f) + floating;
}

static int64_t narrow(int8_t a, uint8_t b, int16_t c, uint16_t d, int32_t e, uint32_t f)
{
    return a + b + c + d + (int64_t)e + (int64_t)f;
}

static float of_floats(float a, float b)
{
    return a - 2 * b;
}

static int variable(int count, ...)
{
    va_list rest;
    va_start(rest, count);
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += va_arg(rest, double) * va_arg(rest, int);
    va_end(rest);
    return (int)sum;
}

static int64_t nothing(void)
{
    return 42;
}

static void fails(int with)
{
    errno = with;
}

/* --- a batch ------------------------------------------------------------------------------------------------------ */

static uint64_t buffer[256];
static size_t used;

/* Adds a call; returns where its result will be. */
static uint64_t *add(uint64_t function, int floating_result, size_t general, const uint64_t *g, size_t floating,
                     const uint64_t *f)
{
    uint64_t *record = buffer + used;
    record[0] = function;
    record[1] = general | floating << 8 | (uint64_t)floating_result << 16;
    memcpy(record + 2, g, general * sizeof *g);
    memcpy(record + 2 + general, f, floating * sizeof *f);
    used += 2 + general + floating;
    CHECK(used + SPARE_WORDS <= sizeof buffer / sizeof buffer[0]);
    return record;
}

#define WORDS(...) sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), (uint64_t[]){__VA_ARGS__}
#define NONE 0, buffer
#define FUNCTION(f) (uint64_t)(uintptr_t)(f)

static void batch(void)
{
    uint64_t text = (uint64_t)(uintptr_t)"abc";
    uint64_t *first = add(FUNCTION(mixed), INTEGER_RESULT, WORDS(1000, text), WORDS(of_double(2.5)));
    uint64_t *second = add(FUNCTION(mixed_otherwise), INTEGER_RESULT, WORDS(1000, text), WORDS(of_double(2.5)));
    uint64_t *all = add(FUNCTION(all_registers), FLOATING_RESULT, WORDS(1, 2, 3, 4, 5, 6),
                        WORDS(of_double(1), of_double(1), of_double(1), of_double(1), of_double(1), of_double(1),
                              of_double(1), of_double(1)));
    uint64_t *small = add(FUNCTION(narrow), INTEGER_RESULT,
                          WORDS((uint64_t)-1, 255, (uint64_t)-300, 65535, (uint64_t)-70000, 4000000000u), NONE);
    uint64_t *floats = add(FUNCTION(of_floats), FLOATING_RESULT, NONE, WORDS(of_float(1.5f), of_float(0.25f)));
    uint64_t *varied = add(FUNCTION(variable), INTEGER_RESULT, WORDS(3, 1, 10, 100),
                           WORDS(of_double(1), of_double(2), of_double(3)));
    uint64_t *none = add(FUNCTION(nothing), INTEGER_RESULT, NONE, NONE);
    add(FUNCTION(fails), INTEGER_RESULT, WORDS(ERANGE), NONE);
    errno = 0;
    ghcomp_hs_batch_run(buffer, buffer + used);
    CHECK_EQUAL(ERANGE, errno);
    CHECK_EQUAL(1000 + 25 + 'b', (int)*first);
    CHECK_EQUAL(1000 + 25 + 'b', (int)*second);
    CHECK(as_double(*all) == 91 + 255.0 / 256);
    CHECK_EQUAL(-1 + 255 - 300 + 65535 - 70000 + 4000000000, (int64_t)*small);
    CHECK(as_float(*floats) == 1.0f);
    CHECK_EQUAL(1 + 20 + 300, (int)*varied);
    CHECK_EQUAL(42, *none);
}

/* --- columns ------------------------------------------------------------------------------------------------------ */

struct column {
    const void *value;
    int64_t stride, format;
};
enum { SIGNED = 0x10, FLOATING = 0x20 };

static void columns(void)
{
    int16_t a[] = {-1, 2, -3};
    double b[] = {0.5, 1.5, 2.5};
    const char *text = "abc";
    struct column column[] = {{a, sizeof *a, sizeof *a | SIGNED}, {b, sizeof *b, sizeof *b | FLOATING}, {&text, 0, 8}};
    int results[3];
    ghcomp_hs_batch_columns(FUNCTION(mixed), column, 3, (unsigned char *)results, sizeof *results | SIGNED, 3);
    for (int i = 0; i < 3; i++)
        CHECK_EQUAL(mixed(a[i], b[i], text), results[i]);
    float c[] = {1, 2}, d = 4, differences[2];
    struct column floats[] = {{c, sizeof *c, sizeof *c | FLOATING}, {&d, 0, sizeof d | FLOATING}};
    ghcomp_hs_batch_columns(FUNCTION(of_floats), floats, 2, (unsigned char *)differences, sizeof d | FLOATING, 2);
    CHECK(differences[0] == -7 && differences[1] == -6);
}

/* Functions of each shape that the calls over columns know, and of one that they do not; i, j, k and x, y, z are the
   arguments of a call. */
static int64_t of_i(int64_t i) { return 3 * i; }
static int64_t of_ij(int64_t i, int64_t j) { return 3 * i - j; }
static int64_t of_ijk(int64_t i, int64_t j, int64_t k) { return 3 * i - j + 5 * k; }
static double of_x(double x) { return 0.5 * x; }
static double of_xy(double x, double y) { return 0.5 * x - y; }
static double of_xyz(double x, double y, double z) { return 0.5 * x - y + 4 * z; }
static double of_ix(int64_t i, double x) { return (double)(3 * i) - x; }
static double of_ijkx(int64_t i, int64_t j, int64_t k, double x) { return (double)of_ijk(i, j, k) - x; }
static double result_of_i(int64_t i) { return 0.25 * (double)i; }
static int64_t result_of_x(double x) { return (int64_t)(4 * x); }

static double expected(int shape, int64_t i, int64_t j, int64_t k, double x, double y, double z)
{
    switch (shape) {
    case 0: return (double)of_i(i);
    case 1: return (double)of_ij(i, j);
    case 2: return (double)of_ijk(i, j, k);
    case 3: return of_x(x);
    case 4: return of_xy(x, y);
    case 5: return of_xyz(x, y, z);
    case 6: return of_ix(i, x);
    case 7: return of_ijkx(i, j, k, x);
    case 8: return result_of_i(i);
    default: return (double)result_of_x(x);
    }
}

enum { MOST_CALLS = 200 };

/* Numbers of calls around those at which the calls are cut into blocks. */
static void shapes(void)
{
    static const struct {
        uint64_t function;
        int integers, floats, floating_result;
    } shape[] = {
        {FUNCTION(of_i), 1, 0, 0},    {FUNCTION(of_ij), 2, 0, 0},       {FUNCTION(of_ijk), 3, 0, 0},
        {FUNCTION(of_x), 0, 1, 1},    {FUNCTION(of_xy), 0, 2, 1},       {FUNCTION(of_xyz), 0, 3, 1},
        {FUNCTION(of_ix), 1, 1, 1},   {FUNCTION(of_ijkx), 3, 1, 1},     {FUNCTION(result_of_i), 1, 0, 1},
        {FUNCTION(result_of_x), 0, 1, 0},
    };
    static const int numbers[] = {0, 1, 2, 63, 64, 65, 128, 129, MOST_CALLS};
    int64_t integers[3][MOST_CALLS];
    double floats[3][MOST_CALLS];
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < MOST_CALLS; i++) {
            integers[c][i] = (c + 1) * i - 7;
            floats[c][i] = (c + 2) * i + 0.5;
        }
    for (int s = 0; s < (int)(sizeof shape / sizeof *shape); s++)
        for (int n = 0; n < (int)(sizeof numbers / sizeof *numbers); n++) {
            struct column column[6];
            uint64_t results[MOST_CALLS + 1];
            int columns = 0, calls = numbers[n];
            /* Floats first: the order of the two kinds does not matter. */
            for (int c = 0; c < shape[s].floats; c++)
                column[columns++] = (struct column){floats[c], 8, 8 | FLOATING};
            for (int c = 0; c < shape[s].integers; c++) column[columns++] = (struct column){integers[c], 8, 8};
            results[calls] = 42;
            ghcomp_hs_batch_columns(shape[s].function, column, columns, (unsigned char *)results,
                                    8 | (shape[s].floating_result ? FLOATING : SIGNED), calls);
            for (int i = 0; i < calls; i++)
                CHECK(expected(s, integers[0][i], integers[1][i], integers[2][i], floats[0][i], floats[1][i],
                               floats[2][i]) ==
                      (shape[s].floating_result ? as_double(results[i]) : (double)(int64_t)results[i]));
            CHECK_EQUAL(42, (int)results[calls]);
        }
}

/* More than one block of what cannot be read or written where it is: narrow types, a constant, words that are not
   aligned. */
static int32_t scaled(int16_t i, double factor, int64_t offset) { return (int32_t)(i * factor) + (int32_t)offset; }

static void copied_blocks(void)
{
    int16_t narrow[MOST_CALLS];
    unsigned char bytes[8 * MOST_CALLS + 1];
    int32_t results[MOST_CALLS + 1];
    double factor = 2.5;
    for (int i = 0; i < MOST_CALLS; i++) {
        int64_t word = 1000 - 3 * i;
        narrow[i] = (int16_t)(2 * i - 100);
        memcpy(bytes + 1 + 8 * i, &word, sizeof word);
    }
    struct column column[] = {{narrow, 2, 2 | SIGNED}, {&factor, 0, 8 | FLOATING}, {bytes + 1, 8, 8 | SIGNED}};
    results[MOST_CALLS] = 42;
    ghcomp_hs_batch_columns(FUNCTION(scaled), column, 3, (unsigned char *)results, 4 | SIGNED, MOST_CALLS);
    for (int i = 0; i < MOST_CALLS; i++)
        CHECK_EQUAL((int32_t)((2 * i - 100) * factor) + 1000 - 3 * i, results[i]);
    CHECK_EQUAL(42, results[MOST_CALLS]);
    /* Words whose results are not aligned. */
    unsigned char to[8 * MOST_CALLS + 1];
    int64_t from[MOST_CALLS];
    for (int i = 0; i < MOST_CALLS; i++) from[i] = i - 50;
    struct column words = {from, 8, 8};
    ghcomp_hs_batch_columns(FUNCTION(of_i), &words, 1, to + 1, 8, MOST_CALLS);
    for (int i = 0; i < MOST_CALLS; i++) {
        int64_t word;
        memcpy(&word, to + 1 + 8 * i, sizeof word);
        CHECK(word == 3 * (i - 50));
    }
}

int main(void)
{
    batch();
    columns();
    shapes();
    copied_blocks();
    return 0;
}
