/* Nests of rectangular loops that the compiler makes one loop of. Tests: test/clang/collapse_abi.c.
 *
 * The compiled code describes each loop (struct kmp_loop_bounds), gets the number of iterations of the whole nest,
 * divides these as those of any loop, and asks for the loop variables' values of one iteration at a time. No other
 * thread takes part.
 *
 * A bound has the loop's type, of 32 or 64 bits, in the low bytes of its word, and so has the step, which is signed.
 * The first entry leaves the loops with the comparisons <= and >= and their inclusive bounds, as in libomp. */
#include "abi/abi.h"
#include "base/check.h"

/* The value of the type in the word's low bytes, extended to the whole word. */
static uint64_t widened(int32_t type, uint64_t word)
{
    switch (type) {
    case KMP_LOOP_INT8:
        return (uint64_t)(int64_t)(int8_t)word;
    case KMP_LOOP_UINT8:
        return (uint8_t)word;
    case KMP_LOOP_INT16:
        return (uint64_t)(int64_t)(int16_t)word;
    case KMP_LOOP_UINT16:
        return (uint16_t)word;
    case KMP_LOOP_INT32:
        return (uint64_t)(int64_t)(int32_t)word;
    case KMP_LOOP_UINT32:
        return (uint32_t)word;
    case KMP_LOOP_INT64:
    case KMP_LOOP_UINT64:
        return word;
    default:
        ghcomp_fatal("a loop of a collapsed nest has the unknown type %d; compile with another version of clang", type);
    }
}

static bool is_narrow(int32_t type)
{
    return type == KMP_LOOP_INT32 || type == KMP_LOOP_UINT32;
}

static int64_t step_of(const struct kmp_loop_bounds *loop)
{
    return is_narrow(loop->type) ? (int32_t)loop->step : loop->step;
}

/* Moves the upper bound; of a narrow type only in the low bytes, since the rest of the word is unused. */
static void move_upper(struct kmp_loop_bounds *loop, uint64_t by)
{
    if (is_narrow(loop->type))
        loop->upper = (loop->upper & ~(uint64_t)UINT32_MAX) | (uint32_t)(loop->upper + by);
    else
        loop->upper += by;
}

static void make_inclusive(struct kmp_loop_bounds *loop)
{
    if (loop->comparison == KMP_LOOP_NOT_EQUAL)
        loop->comparison = step_of(loop) > 0 ? KMP_LOOP_LESS : KMP_LOOP_GREATER;
    if (loop->comparison == KMP_LOOP_LESS) {
        move_upper(loop, (uint64_t)-1);
        loop->comparison = KMP_LOOP_LESS_OR_EQUAL;
    } else if (loop->comparison == KMP_LOOP_GREATER) {
        move_upper(loop, 1);
        loop->comparison = KMP_LOOP_GREATER_OR_EQUAL;
    }
}

static bool is_empty(const struct kmp_loop_bounds *loop, uint64_t lower, uint64_t upper)
{
    bool is_unsigned = loop->type == KMP_LOOP_UINT32 || loop->type == KMP_LOOP_UINT64;
    bool ahead = is_unsigned ? lower < upper : (int64_t)lower < (int64_t)upper;
    bool behind = is_unsigned ? upper < lower : (int64_t)upper < (int64_t)lower;
    return loop->comparison == KMP_LOOP_LESS_OR_EQUAL ? behind : ahead;
}

static uint64_t count(const struct kmp_loop_bounds *loop)
{
    uint64_t lower = widened(loop->type, loop->lower), upper = widened(loop->type, loop->upper);
    int64_t step = step_of(loop);
    if (step == 0)
        ghcomp_fatal("a loop of a collapsed nest has the increment 0; make it positive or negative");
    if (is_empty(loop, lower, upper))
        return 0;
    uint64_t distance = loop->comparison == KMP_LOOP_LESS_OR_EQUAL ? upper - lower : lower - upper;
    return distance / (step < 0 ? -(uint64_t)step : (uint64_t)step) + 1;
}

uint64_t __kmpc_process_loop_nest_rectang(struct kmp_ident *loc, int32_t thread, struct kmp_loop_bounds *loops,
                                          int32_t depth)
{
    (void)loc, (void)thread;
    uint64_t all = 1;
    for (int32_t i = 0; i < depth; i++) {
        make_inclusive(&loops[i]);
        loops[i].count = count(&loops[i]);
        all *= loops[i].count;
    }
    return all;
}

/* Computes the loop variables' values for an iteration; each is extended to a whole word by the variable's type. */
void __kmpc_calc_original_ivs_rectang(struct kmp_ident *loc, uint64_t iteration, const struct kmp_loop_bounds *loops,
                                      uint64_t *values, int32_t depth)
{
    (void)loc;
    for (int32_t i = depth - 1; i >= 0; i--) {
        const struct kmp_loop_bounds *loop = &loops[i];
        uint64_t number = iteration % loop->count;
        iteration /= loop->count;
        values[i] = widened(loop->variable_type, loop->lower + number * (uint64_t)step_of(loop));
    }
}

GHCOMP_ABI_OBJECT(kmp_collapse);
