/* The entries for a nest of rectangular loops as one: how many iterations it has, and the variables' values in each,
 * for all comparisons and types, up and down.
 *
 * symbols: __kmpc_process_loop_nest_rectang __kmpc_calc_original_ivs_rectang
 */
#include "kmp.h"

struct loop {
    int32_t type, variable_type, comparison, outer;
    uint64_t lower, lower_by_outer, upper, upper_by_outer;
    int64_t step;
    uint64_t count;
};
enum { U8, I8, U16, I16, U32, I32, U64, I64 };
enum { LESS_OR_EQUAL, GREATER_OR_EQUAL, NOT_EQUAL, LESS, GREATER };

uint64_t __kmpc_process_loop_nest_rectang(place *, int32_t, struct loop *, int32_t);
void __kmpc_calc_original_ivs_rectang(place *, uint64_t, const struct loop *, uint64_t *, int32_t);

/* The bound's bytes above its type have no meaning: they are not 0 here. */
static uint64_t bound(int32_t type, uint64_t value)
{
    return type == U32 || type == I32 ? (value & UINT32_MAX) | UINT64_C(0x5a5a5a5a) << 32 : value;
}

static struct loop loop(int32_t type, int32_t comparison, int64_t lower, int64_t upper, int64_t step)
{
    return (struct loop){.type = type, .variable_type = type, .comparison = comparison,
                         .lower = bound(type, (uint64_t)lower), .upper = bound(type, (uint64_t)upper),
                         .step = (int64_t)bound(type, (uint64_t)step)};
}

static uint64_t values[4];

static uint64_t count_of(struct loop one)
{
    return __kmpc_process_loop_nest_rectang(&here, thread_number(), &one, 1);
}

static void each_loop(void)
{
    for (int type = U32; type <= I64; type++) {
        CHECK(count_of(loop(type, LESS, 3, 10, 2)) == 4 && count_of(loop(type, LESS_OR_EQUAL, 3, 11, 2)) == 5);
        CHECK(count_of(loop(type, GREATER, 10, 3, -2)) == 4 && count_of(loop(type, GREATER_OR_EQUAL, 9, 1, -2)) == 5);
        CHECK(count_of(loop(type, NOT_EQUAL, 4, 13, 3)) == 3 && count_of(loop(type, NOT_EQUAL, 13, 4, -3)) == 3);
        CHECK(count_of(loop(type, LESS, 5, 5, 1)) == 0 && count_of(loop(type, LESS_OR_EQUAL, 6, 5, 1)) == 0);
        CHECK(count_of(loop(type, GREATER, 5, 5, -1)) == 0 && count_of(loop(type, GREATER_OR_EQUAL, 5, 6, -1)) == 0);
    }
    CHECK(count_of(loop(U32, LESS_OR_EQUAL, 0, UINT32_MAX, 1 << 30)) == 4);
    CHECK(count_of(loop(I64, LESS_OR_EQUAL, INT64_MIN, INT64_MAX, INT64_C(1) << 62)) == 4);
}

/* Variables of the narrow types have bounds of 32 bits. */
static void narrow(void)
{
    static const int64_t lowest[] = {[U8] = 0, [I8] = -128, [U16] = 0, [I16] = -32768};
    for (int type = U8; type <= I16; type++) {
        struct loop one = loop(I32, LESS, lowest[type], lowest[type] + 6, 5);
        one.variable_type = type;
        CHECK(__kmpc_process_loop_nest_rectang(&here, thread_number(), &one, 1) == 2);
        for (int i = 0; i < 2; i++) {
            __kmpc_calc_original_ivs_rectang(&here, (uint64_t)i, &one, values, 1);
            CHECK((int64_t)values[0] == lowest[type] + 5 * i);
        }
    }
}

/* The innermost loop runs fastest. */
static void nest(void)
{
    struct loop loops[3] = {loop(I64, LESS, -7, 8, 4), loop(U32, GREATER_OR_EQUAL, 20, 5, -5),
                            loop(I32, NOT_EQUAL, -2, 1, 1)};
    uint64_t number = 0;
    CHECK(__kmpc_process_loop_nest_rectang(&here, thread_number(), loops, 3) == 4 * 4 * 3);
    CHECK(loops[0].count == 4 && loops[1].count == 4 && loops[2].count == 3);
    for (int64_t i = -7; i < 8; i += 4)
        for (uint32_t j = 20; j >= 5; j -= 5)
            for (int k = -2; k != 1; k++) {
                __kmpc_calc_original_ivs_rectang(&here, number++, loops, values, 3);
                CHECK((int64_t)values[0] == i && (uint32_t)values[1] == j && (int32_t)values[2] == k);
            }
    CHECK(number == 48);
    loops[1].upper = bound(U32, 21);
    CHECK(__kmpc_process_loop_nest_rectang(&here, thread_number(), loops, 3) == 0);
}

int main(void)
{
    each_loop();
    narrow();
    nest();
    return 0;
}
