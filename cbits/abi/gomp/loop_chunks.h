/* The chunks of gcc's loops, for both types of the loop's variable: gomp_loop.c and gomp_loop_ull.c include this once,
 * each with LOOP_INDEX defined as the type.
 *
 * A chunk is returned as its first value and the value past its last; the result false means that there is none. The
 * two files inline the path of most chunks: those that the member has taken already (core/worksharing/loop.h). */
#include "abi/observed/loop.h"

static inline bool chunk(enum ghcomp_loop_quick quick, uint64_t first, uint64_t past, LOOP_INDEX *istart,
                         LOOP_INDEX *iend)
{
    if (quick == GHCOMP_LOOP_END)
        return false;
    *istart = (LOOP_INDEX)first;
    *iend = (LOOP_INDEX)past;
    return true;
}

static inline bool next_chunk(struct ghcomp_member *self, LOOP_INDEX *istart, LOOP_INDEX *iend)
{
    return chunk(GHCOMP_LOOP_CHUNK, ghcomp_loop_first(self), ghcomp_loop_past(self), istart, iend);
}

static __attribute__((noinline)) bool next_slow(struct ghcomp_member *self, LOOP_INDEX *istart, LOOP_INDEX *iend)
{
    return ghcomp_loop_next(self) && next_chunk(self, istart, iend);
}

static __attribute__((noinline)) bool next_counted(struct ghcomp_member *self, LOOP_INDEX *istart, LOOP_INDEX *iend)
{
    uint64_t first, past;
    enum ghcomp_loop_quick quick = ghcomp_loop_next_counted(self, &first, &past);
    return quick == GHCOMP_LOOP_ASK ? next_slow(self, istart, iend) : chunk(quick, first, past, istart, iend);
}

static inline bool next(struct ghcomp_member *self, LOOP_INDEX *istart, LOOP_INDEX *iend)
{
    uint64_t first, past;
    enum ghcomp_loop_quick quick = ghcomp_loop_next_in_run(self, &first, &past);
    return quick == GHCOMP_LOOP_ASK ? next_counted(self, istart, iend) : chunk(quick, first, past, istart, iend);
}

/* While a tool is registered. */
static __attribute__((noinline, cold)) bool
take_observed(struct ghcomp_member *self, LOOP_INDEX *istart, LOOP_INDEX *iend)
{
    bool chunks = ghcomp_loop_next(self);
    report_chunk(self, chunks);
    return chunks && next_chunk(self, istart, iend);
}

static __attribute__((noinline, cold)) bool next_observed(LOOP_INDEX *istart, LOOP_INDEX *iend,
                                                             const void *return_address, void *frame)
{
    ghcomp_tool_note(return_address, frame, 0);
    struct ghcomp_member *self = ghcomp_self_member;
    report_next(self);
    return take_observed(self, istart, iend);
}

static __attribute__((noinline, cold)) bool
first_observed(struct ghcomp_member *self, LOOP_INDEX *istart, LOOP_INDEX *iend)
{
    report_loop(self);
    return istart == NULL || take_observed(self, istart, iend);
}

/* The first chunk of the loop that the member has entered. */
static inline bool first(struct ghcomp_member *self, LOOP_INDEX *istart, LOOP_INDEX *iend)
{
    if (ghcomp_tool_on())
        return first_observed(self, istart, iend);
    return istart == NULL || next_slow(self, istart, iend);
}
