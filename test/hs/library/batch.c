/* C functions of many shapes, for the tests of batched calls (BatchTest.hs). */
#include <stdint.h>
#include <stdlib.h>

/* Records each call by its arguments and its order: what it returns depends on all the calls before. */
int64_t batch_note(int64_t *state, int64_t value)
{
    *state = (int64_t)((uint64_t)*state * 31 + (uint64_t)value);
    return *state;
}

/* All registers, mixed; each argument has its own weight. */
double batch_all(int8_t a, float b, uint8_t c, double d, int16_t e, double f, float g, uint16_t h, double i, int32_t j,
                 double k, double l, double m, uint32_t n)
{
    return a + b * 2 + c * 3 + d * 5 + e * 7 + f * 11 + g * 13 + h * 17 + i * 19 + j * 23.0 + k * 29 + l * 31 + m * 37 +
           n * 41.0;
}

/* Negative numbers, and the upper half of the unsigned ones. */
int64_t batch_widen(int8_t a, int16_t b, int32_t c)
{
    return a * INT64_C(1000000000000) + b * INT64_C(1000000) + c;
}
uint64_t batch_widen_unsigned(uint8_t a, uint16_t b, uint32_t c)
{
    return a * UINT64_C(1000000000000) + b * UINT64_C(100000) + c;
}
/* Reads whole registers: imported with narrower types, it shows how their values were extended. */
int64_t batch_registers(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f)
{
    return a + 3 * b + 5 * c + 7 * d + 11 * e + 13 * f;
}
int8_t batch_narrow(int64_t x)
{
    return (int8_t)x;
}
uint16_t batch_narrow_unsigned(int64_t x)
{
    return (uint16_t)x;
}
float batch_float(float x, double y, int z)
{
    return x * 2 + (float)y + (float)z;
}
void *batch_address(char *base, size_t offset)
{
    return base + offset;
}
_Bool batch_less(float a, float b)
{
    return a < b;
}

int batch_back(int (*call)(int), int x)
{
    return call(x) + 1;
}

static int identity(int x)
{
    return x;
}
int (*batch_function(void))(int)
{
    return identity;
}
