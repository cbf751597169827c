/* __kmpc_dispatch_*: loops that hand out chunks at run time; __kmpc_dist_dispatch_init_*: the same for a team's part of
 * a `distribute` loop. Tests: test/clang/{loops,leagues}.c.
 *
 * Each member calls the init with the whole loop's bounds, both inclusive, and then requests chunks until there are
 * none. They are core/worksharing/loop.c's loops. With a SIMD width each iteration of the share is a group of that many
 * iterations of the program's loop: share.increment is the step from group to group, share.step the program's own;
 * share.end is the last iteration's value, at which an incomplete last group ends.
 *
 * In ordered loops clang's code calls a fini function at the end of each iteration. So the end of an ordered region is
 * known to be its chunk's last one, and passes the turn on (kmp_ordered.c); with a SIMD width the chunk's end does.
 *
 * __kmpc_dist_dispatch_init_* first divides the loop between the teams of the league, as kmp_static.c does. */
#include "abi/abi.h"
#include "abi/kmp/kmp_schedule.h"
#include "base/even.h"
#include "core/team/league.h"
#include "core/tool/tool.h"
#include "core/worksharing/loop.h"

struct loop {
    uint64_t lower, count;
    int64_t step;
    uint64_t width;                /* the SIMD width, or 1 */
    struct ghcomp_loop_kind kind;
};

/* The order of the chunks. In a doacross loop an iteration may wait for earlier ones. In libomp members steal chunks of
   nonmonotonic loops; here iterations rise in these loops, too. */
static int order_of(const struct ghcomp_member *self, bool ordered)
{
    if (ordered)
        return GHCOMP_LOOP_ORDERED;
    return self->posts != NULL ? GHCOMP_LOOP_SINGLY : GHCOMP_LOOP_RISING;
}

/* Sets a loop with the simd modifier: the compiler's chunk size is the width; a chunk size in run-sched-var counts
   widths. */
static void set_simd(struct ghcomp_member *self, struct loop *loop, int32_t schedule, uint64_t width)
{
    int sched = schedule == KMP_SCH_GUIDED_SIMD ? GHCOMP_SCHED_GUIDED : GHCOMP_SCHED_STATIC;
    bool chunked = false;
    if (schedule == KMP_SCH_RUNTIME_SIMD) {
        int chunk;
        sched = ghcomp_kmp_run_schedule(self->task->icv, &chunk) & ~(int)GHCOMP_SCHED_MONOTONIC;
        chunked = sched != GHCOMP_SCHED_AUTO && chunk > 0;
        width *= chunked ? (uint64_t)chunk : 1;
        if (sched == GHCOMP_SCHED_TRAPEZOIDAL)
            sched = GHCOMP_SCHED_GUIDED;
    }
    loop->width = width;
    loop->kind.sched = sched;
    loop->kind.chunk = 1;
    if ((sched == GHCOMP_SCHED_STATIC && !chunked) || sched == GHCOMP_SCHED_AUTO) {
        uint64_t groups = loop->count / width + (loop->count % width != 0), size = self->team->size;
        loop->kind.sched = GHCOMP_SCHED_STATIC;
        loop->kind.chunk = groups / size + (groups % size != 0); /* a block for each member */
    }
}

static void set_kind(struct ghcomp_member *self, struct loop *loop, int32_t schedule, int64_t chunk)
{
    int32_t modifiers;
    schedule = ghcomp_kmp_schedule(schedule, &modifiers);
    bool ordered = (schedule & KMP_ORDERED) != 0 && schedule < KMP_DIST_STATIC_CHUNKED;
    if (ordered)
        schedule -= KMP_ORDERED - KMP_SCH_FIRST;
    loop->width = 1;
    loop->kind.order = order_of(self, ordered);
    loop->kind.chunk = chunk > 0 ? (uint64_t)chunk : 1;
    switch (schedule) {
    case KMP_SCH_STATIC_CHUNKED:
        loop->kind.sched = GHCOMP_SCHED_STATIC;
        break;
    case KMP_SCH_DYNAMIC:
    case KMP_SCH_STATIC_STEAL:
        loop->kind.sched = GHCOMP_SCHED_DYNAMIC;
        break;
    case KMP_SCH_GUIDED:
    case KMP_SCH_GUIDED_ITERATIVE:
    case KMP_SCH_GUIDED_ANALYTICAL:
    case KMP_SCH_TRAPEZOIDAL:
    case KMP_SCH_AUTO: /* as in libomp */
        loop->kind.sched = GHCOMP_SCHED_GUIDED;
        break;
    case KMP_SCH_RUNTIME:
        loop->kind.sched = GHCOMP_LOOP_RUNTIME;
        if (self->task->icv->sched_by == GHCOMP_SCHED_BY_DEFAULT) {
            loop->kind.sched = GHCOMP_SCHED_STATIC;
            loop->kind.chunk = 0;
        } else if ((self->task->icv->sched & ~(int)GHCOMP_SCHED_MONOTONIC) == GHCOMP_SCHED_AUTO) {
            loop->kind.sched = GHCOMP_SCHED_GUIDED;
            loop->kind.chunk = 1;
        }
        break;
    case KMP_SCH_STATIC_SIMD:
    case KMP_SCH_GUIDED_SIMD:
    case KMP_SCH_RUNTIME_SIMD:
        set_simd(self, loop, schedule, loop->kind.chunk);
        break;
    default: /* static without chunks */
        loop->kind.sched = GHCOMP_SCHED_STATIC;
        loop->kind.chunk = 0;
    }
}

static void fill(struct ghcomp_member *self, struct ghcomp_workshare *share, const struct loop *loop)
{
    uint64_t groups = loop->count / loop->width + (loop->count % loop->width != 0);
    struct ghcomp_loop_range range = {.start = loop->lower, .span = groups, .step = 1};
    ghcomp_loop_fill(self, share, range, loop->kind);
    share->increment = (uint64_t)loop->step * loop->width;
    share->step = (uint64_t)loop->step;
    share->end = loop->lower + (loop->count - 1) * (uint64_t)loop->step;
}

static __attribute__((noinline)) void report_to_tool(struct ghcomp_member *self, const struct kmp_ident *loc,
                                                     int32_t schedule, uint64_t count)
{
    int32_t modifiers, plain = ghcomp_kmp_schedule(schedule, &modifiers);
    int given = plain >= KMP_ORDERED && plain < KMP_DIST_STATIC_CHUNKED ? plain - (KMP_ORDERED - KMP_SCH_FIRST) : plain;
    ompt_work_t kind;
    if (loc != NULL && loc->flags & KMP_IDENT_WORK_SECTIONS)
        kind = ompt_work_sections;
    else if (given == KMP_SCH_DYNAMIC || given == KMP_SCH_STATIC_STEAL)
        kind = ompt_work_loop_dynamic; /* a team of one divides it statically */
    else
        kind = self->share->sched == GHCOMP_SCHED_DYNAMIC  ? ompt_work_loop_dynamic
               : self->share->sched == GHCOMP_SCHED_GUIDED ? ompt_work_loop_guided
                                                           : ompt_work_loop_static;
    ghcomp_tool_work_begin(self, kind, count);
}

static void enter(int32_t schedule, uint64_t lower, uint64_t count, int64_t step, int64_t chunk)
{
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    struct ghcomp_workshare *share = ghcomp_workshare_next(self);
    if (share == NULL) {
        struct loop loop = {.lower = lower, .count = count, .step = step};
        set_kind(self, &loop, schedule, chunk);
        struct ghcomp_workshare *mine = ghcomp_workshare_new(self);
        fill(self, mine, &loop);
        bool first;
        share = ghcomp_workshare_publish(self, mine, &first);
    }
    ghcomp_workshare_enter(self, share);
    ghcomp_loop_begin(self);
}

/* Enters the team's block of a loop that is first distributed among the teams, and then divided among the team's
   members. Returns whether it is the last block. */
static bool enter_distributed(int32_t schedule, uint64_t lower, uint64_t count, int64_t step, int64_t chunk)
{
    struct ghcomp_league_place at = ghcomp_league_place(ghcomp_self_of_libomp());
    struct ghcomp_even even = ghcomp_even(count, (uint64_t)at.size);
    uint64_t first = ghcomp_even_first(even, (uint64_t)at.num), mine = ghcomp_even_length(even, (uint64_t)at.num);
    enter(schedule, lower + first * (uint64_t)step, mine, step, chunk);
    return mine > 0 && first + mine == count;
}

/* False: no chunk is left. */
static inline bool next(uint64_t *lower, uint64_t *upper, uint64_t *step, bool *last)
{
    struct ghcomp_member *self = ghcomp_self_member;
    if (!ghcomp_loop_next(self)) {
        self->chunk_counted = 0;
        if (ghcomp_tool_on())
            ghcomp_tool_work_end(self);
        return false;
    }
    const struct ghcomp_workshare *share = self->share;
    if (share->ordered)
        self->chunk_counted = 1;
    if (ghcomp_tool_on())
        ghcomp_tool_chunk(ghcomp_tool_current(self), ompt_dispatch_ws_loop_chunk, self->chunk_begin,
                          self->chunk_end - self->chunk_begin);
    *last = self->chunk_end == share->count;
    *lower = share->start + self->chunk_begin * share->increment;
    *upper = *last ? share->end : share->start + self->chunk_end * share->increment - share->step;
    *step = share->step;
    return true;
}

#define IN_64(is_unsigned, value) ((is_unsigned) ? (int64_t)(uint64_t)(value) : (int64_t)(value))

#define DISPATCH(suffix, type, signed_type, is_unsigned)                                                              \
    void __kmpc_dispatch_init_##suffix(struct kmp_ident *loc, int32_t thread, int32_t schedule, type lower,           \
                                       type upper, signed_type step, signed_type chunk)                               \
    {                                                                                                                 \
        (void)loc, (void)thread;                                                                                      \
        uint64_t count = ghcomp_kmp_count(IN_64(is_unsigned, lower), IN_64(is_unsigned, upper), step, is_unsigned);   \
        GHCOMP_TOOL_SITE();                                                                                           \
        enter(schedule, (uint64_t)lower, count, step, chunk);                                                         \
        if (ghcomp_tool_on())                                                                                         \
            report_to_tool(ghcomp_self_member, loc, schedule, count);                                                 \
    }                                                                                                                 \
                                                                                                                      \
    void __kmpc_dist_dispatch_init_##suffix(struct kmp_ident *loc, int32_t thread, int32_t schedule, int32_t *last,   \
                                            type lower, type upper, signed_type step, signed_type chunk)              \
    {                                                                                                                 \
        (void)loc, (void)thread;                                                                                      \
        uint64_t count = ghcomp_kmp_count(IN_64(is_unsigned, lower), IN_64(is_unsigned, upper), step, is_unsigned);   \
        GHCOMP_TOOL_SITE();                                                                                           \
        bool last_team = enter_distributed(schedule, (uint64_t)lower, count, step, chunk);                            \
        if (ghcomp_tool_on())                                                                                         \
            report_to_tool(ghcomp_self_member, loc, schedule, count);                                                 \
        if (last != NULL)                                                                                             \
            *last = last_team;                                                                                        \
    }                                                                                                                 \
                                                                                                                      \
    int __kmpc_dispatch_next_##suffix(struct kmp_ident *loc, int32_t thread, int32_t *last, type *lower, type *upper, \
                                      signed_type *step)                                                              \
    {                                                                                                                 \
        (void)loc, (void)thread;                                                                                      \
        uint64_t first, past, by;                                                                                     \
        bool is_last;                                                                                                 \
        if (!next(&first, &past, &by, &is_last))                                                                      \
            return 0;                                                                                                 \
        *lower = (type)first;                                                                                         \
        *upper = (type)past;                                                                                          \
        if (step != NULL)                                                                                             \
            *step = (signed_type)by;                                                                                  \
        if (last != NULL)                                                                                             \
            *last = is_last;                                                                                          \
        return 1;                                                                                                     \
    }                                                                                                                 \
                                                                                                                      \
    void __kmpc_dispatch_fini_##suffix(struct kmp_ident *loc, int32_t thread)                                         \
    {                                                                                                                 \
        (void)loc, (void)thread;                                                                                      \
        if (ghcomp_self_member->chunk_counted != 0)                                                                   \
            ghcomp_self_member->chunk_counted++;                                                                      \
    }

DISPATCH(4, int32_t, int32_t, 0)
DISPATCH(4u, uint32_t, int32_t, 1)
DISPATCH(8, int64_t, int64_t, 0)
DISPATCH(8u, uint64_t, int64_t, 1)

/* Called by code of clang 19 and later when the loop is over, even if it was cancelled. */
void __kmpc_dispatch_deinit(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    if (ghcomp_tool_on())
        ghcomp_tool_work_end(self); /* of a cancelled one */
    ghcomp_loop_leave(self);
}

GHCOMP_ABI_OBJECT(kmp_dispatch);
