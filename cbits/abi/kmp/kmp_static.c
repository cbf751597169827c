/* __kmpc_for_static_init_* and its kin: a thread's part of a loop with a static schedule, and a team's part of a
 * `distribute` loop. Tests: test/clang/{loops,leagues}.c.
 *
 * The compiled code gives the whole loop's bounds, both inclusive, and gets its part's, whether that has the last
 * iteration, and the distance to its next chunk. No other thread takes part, so nothing is shared. Blocks are those of
 * core/worksharing/loop.c, so that code by both compilers divides a loop in the same way. */
#include "abi/abi.h"
#include "abi/kmp/kmp_schedule.h"
#include "base/even.h"
#include "core/team/league.h"
#include "core/tool/tool.h"
#include "core/worksharing/loop.h"

/* Iterations first .. past - 1, the next ones `stride` further on. */
struct part {
    uint64_t first, past, stride;
    bool last;
};

static struct part blocks(uint64_t count, uint64_t size, uint64_t number)
{
    struct ghcomp_even even = ghcomp_even(count, size);
    uint64_t first = ghcomp_even_first(even, number), past = first + ghcomp_even_length(even, number);
    return (struct part){first, past, count, first < past && past == count};
}

/* A number without a second chunk gets a stride to the loop's end: the distance to a chunk that does not exist may be
   more than the caller's type has room for. */
static struct part chunks(uint64_t count, uint64_t size, uint64_t number, uint64_t chunk)
{
    chunk = chunk < count ? chunk : count;
    struct part part = {.last = (count - 1) / chunk % size == number};
    if (__builtin_mul_overflow(chunk, number, &part.first) || part.first > count)
        part.first = count;
    uint64_t left = count - part.first;
    part.past = left < chunk ? count : part.first + chunk;
    if (__builtin_mul_overflow(chunk, size, &part.stride) || part.stride > left)
        part.stride = left > 0 ? left : count;
    return part;
}

/* One block for each member, of a multiple of `width` iterations. */
static struct part wide_blocks(uint64_t count, uint64_t size, uint64_t number, uint64_t width)
{
    uint64_t each = (count / size + (count % size != 0) + width - 1) / width * width;
    struct part part = chunks(count, size, number, each);
    part.stride = count;
    return part;
}

static struct part divide(uint64_t count, uint64_t size, uint64_t number, int32_t schedule, int64_t chunk)
{
    if (size == 1)
        return (struct part){0, count, count, true};
    uint64_t width = chunk > 0 ? (uint64_t)chunk : 1;
    switch (schedule) {
    case KMP_SCH_STATIC_CHUNKED:
    case KMP_DIST_STATIC_CHUNKED:
        return chunks(count, size, number, width);
    case KMP_SCH_STATIC_SIMD:
        return wide_blocks(count, size, number, width);
    default:
        return blocks(count, size, number);
    }
}

/* A loop's bounds in 64 bits; the caller's type has the low bits. */
struct bounds {
    uint64_t lower, upper, stride;
    bool last;
};

static struct bounds bounds_of(struct part part, uint64_t lower, uint64_t upper, uint64_t increment)
{
    struct bounds bounds = {lower + part.first * increment, lower + (part.past - 1) * increment,
                            part.stride * increment, part.last};
    if (part.first == part.past) {
        bounds.lower = upper + increment; /* beyond the end, for any type that has room for it */
        bounds.upper = upper;
    }
    return bounds;
}

/* The calling member of a worksharing loop, or its team of a league in a distribute loop. */
static void participant(int32_t schedule, uint32_t *size, uint32_t *number)
{
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    if (schedule == KMP_DIST_STATIC || schedule == KMP_DIST_STATIC_CHUNKED) {
        struct ghcomp_league_place at = ghcomp_league_place(self);
        *size = at.size;
        *number = at.num;
        return;
    }
    if (ghcomp_unlikely(ghcomp_global.cancel))
        ghcomp_loop_leave(self); /* cancel.c distinguishes loops with a share by their chunks */
    *size = self->team->size;
    *number = self->tid;
}

static struct bounds static_bounds(int32_t schedule, uint64_t count, uint64_t lower, uint64_t upper, int64_t increment,
                                   int64_t chunk)
{
    int32_t modifiers;
    schedule = ghcomp_kmp_schedule(schedule, &modifiers);
    uint32_t size, number;
    participant(schedule, &size, &number);
    return bounds_of(divide(count, size, number, schedule, chunk), lower, upper, (uint64_t)increment);
}

/* `distributed` receives the end of the part of the caller's team. */
static struct bounds distributed_bounds(int32_t schedule, uint64_t count, uint64_t lower, uint64_t upper,
                                        int64_t increment, int64_t chunk, uint64_t *distributed)
{
    uint32_t size, number;
    participant(KMP_DIST_STATIC, &size, &number);
    struct part team = divide(count, size, number, KMP_DIST_STATIC, 0);
    struct bounds outer = bounds_of(team, lower, upper, (uint64_t)increment);
    *distributed = outer.upper;
    if (team.first == team.past)
        return outer;
    struct bounds inner = static_bounds(schedule, team.past - team.first, outer.lower, outer.upper, increment, chunk);
    inner.last = inner.last && outer.last;
    return inner;
}

/* Reports the beginning of the loop, and of the member's first part of it. */
static __attribute__((noinline)) void report_to_tool(const struct kmp_ident *loc, int32_t schedule, uint64_t count,
                                                     struct bounds part, uint64_t lower, int64_t increment)
{
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    int32_t modifiers, plain = ghcomp_kmp_schedule(schedule, &modifiers), flags = loc != NULL ? loc->flags : 0;
    ompt_work_t kind = flags & KMP_IDENT_WORK_DISTRIBUTE || plain == KMP_DIST_STATIC ||
                               plain == KMP_DIST_STATIC_CHUNKED
                           ? ompt_work_distribute
                       : flags & KMP_IDENT_WORK_SECTIONS ? ompt_work_sections
                                                         : ompt_work_loop_static;
    const void *return_address = ghcomp_tool_thread_site(self);
    ghcomp_tool_work_begin(self, kind, count);
    uint64_t first = part.lower - lower, by = (uint64_t)increment, size = increment < 0 ? -by : by;
    if (count == 0 || size == 0)
        return;
    uint64_t begin = (increment < 0 ? -first : first) / size;
    uint64_t span = (increment < 0 ? part.lower - part.upper : part.upper - part.lower);
    uint64_t iterations = begin >= count ? 0 : span / size + 1;
    if (kind != ompt_work_sections) {
        ghcomp_tool_chunk(ghcomp_tool_current(self), kind == ompt_work_distribute ? ompt_dispatch_distribute_chunk
                                                             : ompt_dispatch_ws_loop_chunk, begin, iterations);
        return;
    }
    for (uint64_t i = 0; i < iterations; i++)
        ghcomp_tool_section(self, return_address);
}

#define IN_64(is_unsigned, value) ((is_unsigned) ? (int64_t)(uint64_t)(value) : (int64_t)(value))

/* flang numbers the iterations from 0, so that the last one of an empty loop is the highest number there is: a loop
   over all values of an unsigned type, which no program can have, is empty. */
#define COUNT(is_unsigned, type, lower, upper, increment)                                                            \
    ((is_unsigned) && (type)((upper) + 1) == (lower) && (increment) == 1                                             \
         ? 0                                                                                                         \
         : ghcomp_kmp_count(IN_64(is_unsigned, lower), IN_64(is_unsigned, upper), increment, is_unsigned))

#define STATIC(suffix, type, signed_type, is_unsigned)                                                                \
    static inline __attribute__((always_inline)) void static_init_##suffix(                                           \
        struct kmp_ident *loc, int32_t schedule, int32_t *last, type *lower, type *upper, signed_type *stride,        \
        signed_type increment, signed_type chunk, bool observed)                                                      \
    {                                                                                                                 \
        uint64_t count = COUNT(is_unsigned, type, *lower, *upper, increment);                                         \
        if (count == 0) {                                                                                             \
            if (observed)                                                                                             \
                report_to_tool(loc, schedule, 0, (struct bounds){0, 0, 0, false}, 0, increment);                      \
            if (last != NULL)                                                                                         \
                *last = 0;                                                                                            \
            *stride = increment;                                                                                      \
            return;                                                                                                   \
        }                                                                                                             \
        struct bounds part =                                                                                          \
            static_bounds(schedule, count, (uint64_t)*lower, (uint64_t)*upper, increment, chunk);                     \
        if (observed)                                                                                                 \
            report_to_tool(loc, schedule, count, part, (uint64_t)*lower, increment);                                  \
        if (last != NULL)                                                                                             \
            *last = part.last;                                                                                        \
        *lower = (type)part.lower;                                                                                    \
        *upper = (type)part.upper;                                                                                    \
        *stride = (signed_type)part.stride;                                                                           \
    }                                                                                                                 \
                                                                                                                      \
    static __attribute__((noinline, cold)) void static_observed_##suffix(                                             \
        struct kmp_ident *loc, int32_t schedule, int32_t *last, type *lower, type *upper, signed_type *stride,        \
        signed_type increment, signed_type chunk, const void *return_address, void *frame)                            \
    {                                                                                                                 \
        ghcomp_tool_note(return_address, frame, 0);                                                                   \
        ghcomp_self_of_libomp(); /* the process's first call, which may find no tool */                               \
        static_init_##suffix(loc, schedule, last, lower, upper, stride, increment, chunk, ghcomp_tool_on());          \
    }                                                                                                                 \
                                                                                                                      \
    void __kmpc_for_static_init_##suffix(struct kmp_ident *loc, int32_t thread, int32_t schedule, int32_t *last,      \
                                         type *lower, type *upper, signed_type *stride, signed_type increment,        \
                                         signed_type chunk)                                                           \
    {                                                                                                                 \
        (void)thread;                                                                                                 \
        if (ghcomp_tool_on())                                                                                         \
            static_observed_##suffix(loc, schedule, last, lower, upper, stride, increment, chunk,                     \
                                     __builtin_return_address(0), __builtin_dwarf_cfa());                             \
        else                                                                                                          \
            static_init_##suffix(loc, schedule, last, lower, upper, stride, increment, chunk, false);                 \
    }                                                                                                                 \
                                                                                                                      \
    void __kmpc_dist_for_static_init_##suffix(struct kmp_ident *loc, int32_t thread, int32_t schedule, int32_t *last, \
                                              type *lower, type *upper, type *upper_of_team, signed_type *stride,     \
                                              signed_type increment, signed_type chunk)                               \
    {                                                                                                                 \
        (void)loc, (void)thread;                                                                                      \
        uint64_t count = COUNT(is_unsigned, type, *lower, *upper, increment);                                         \
        *upper_of_team = *upper;                                                                                      \
        *stride = increment;                                                                                          \
        if (last != NULL)                                                                                             \
            *last = 0;                                                                                                \
        if (count == 0)                                                                                               \
            return;                                                                                                   \
        uint64_t distributed;                                                                                         \
        struct bounds part = distributed_bounds(schedule, count, (uint64_t)*lower, (uint64_t)*upper, increment,       \
                                                chunk, &distributed);                                                 \
        if (last != NULL)                                                                                             \
            *last = part.last;                                                                                        \
        *upper_of_team = (type)distributed;                                                                           \
        *lower = (type)part.lower;                                                                                    \
        *upper = (type)part.upper;                                                                                    \
        *stride = (signed_type)part.stride;                                                                           \
    }                                                                                                                 \
                                                                                                                      \
    void __kmpc_team_static_init_##suffix(struct kmp_ident *loc, int32_t thread, int32_t *last, type *lower,          \
                                          type *upper, signed_type *stride, signed_type increment, signed_type chunk) \
    {                                                                                                                 \
        __kmpc_for_static_init_##suffix(loc, thread, KMP_DIST_STATIC_CHUNKED, last, lower, upper, stride, increment,  \
                                        chunk);                                                                       \
    }

STATIC(4, int32_t, int32_t, 0)
STATIC(4u, uint32_t, int32_t, 1)
STATIC(8, int64_t, int64_t, 0)
STATIC(8u, uint64_t, int64_t, 1)

void __kmpc_for_static_fini(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    if (ghcomp_tool_on())
        ghcomp_tool_work_end(ghcomp_self_of_libomp());
}

GHCOMP_ABI_OBJECT(kmp_static);
