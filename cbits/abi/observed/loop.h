/* Loops of gcc's code on observed paths (core/tool/tool.h): for gomp_loop.c, gomp_loop_ull.c and gomp_sections.c.
 * Covered by test/ompt. */
#pragma once

#include "core/sync/barrier.h"
#include "core/team/cancel.h"
#include "core/tool/tool.h"
#include "core/worksharing/loop.h"

static inline ompt_work_t tool_loop_kind(const struct ghcomp_workshare *share)
{
    switch (share->sched & ~(int)GHCOMP_SCHED_MONOTONIC) {
    case GHCOMP_SCHED_STATIC:
        return ompt_work_loop_static;
    case GHCOMP_SCHED_DYNAMIC:
        return ompt_work_loop_dynamic;
    case GHCOMP_SCHED_GUIDED:
        return ompt_work_loop_guided;
    default:
        return ompt_work_loop_other;
    }
}

/* Reports that the member has entered the loop. */
static inline void report_loop(struct ghcomp_member *self)
{
    if (ghcomp_tool_on())
        ghcomp_tool_work_begin(self, tool_loop_kind(self->share), self->share->count);
}

/* Reports a loop that compiled code divides by itself. If it was entered for its memory, its begin has been reported,
   without a count. */
static __attribute__((unused)) void report_static(struct ghcomp_member *self, uint64_t count)
{
    const struct ghcomp_tool_work *work = &ghcomp_tool_current(self)->work;
    if (work->kind == ompt_work_loop_static && work->count == 0)
        ghcomp_tool_take(self->thread);
    else
        ghcomp_tool_work_begin(self, ompt_work_loop_static, count);
}

/* Called when the member asks for a chunk: in a combined construct reports the loop's begin first. */
static inline void report_next(struct ghcomp_member *self)
{
    if (ghcomp_tool_current(self)->work.kind == 0)
        report_loop(self);
    else
        ghcomp_tool_take(self->thread);
}

/* Called when the member has got no chunk: reports a cancellation point if the construct is cancelled. */
static inline void report_refusal(struct ghcomp_member *self, int kind, const void *return_address)
{
    if (!ghcomp_global.cancel || !ghcomp_load_relaxed(&self->share->cancelled))
        return;
    ghcomp_tool_note(return_address, NULL, 0);
    ghcomp_cancel_report(self, kind, false);
}

/* Reports the outcome of the member's request for a chunk. */
static inline void report_chunk(struct ghcomp_member *self, bool chunk)
{
    if (!chunk)
        report_refusal(self, GHCOMP_CANCEL_LOOP, ghcomp_tool_current(self)->work.return_address);
    else
        ghcomp_tool_chunk(ghcomp_tool_current(self), ompt_dispatch_ws_loop_chunk, self->chunk_begin,
                      self->chunk_end - self->chunk_begin);
}

/* Ends the member's part of the construct, with a barrier. The path without ghcomp_self_fast. */
static __attribute__((noinline, cold, unused)) bool
end_observed(bool cancellable, const void *return_address, void *frame)
{
    struct ghcomp_member *self = ghcomp_self();
    if (ghcomp_tool_on()) {
        ghcomp_tool_work_end(self);
        ghcomp_tool_note(return_address, frame, ompt_sync_region_barrier_implicit_workshare);
    }
    ghcomp_loop_leave(self);
    if (cancellable)
        return ghcomp_cancel_leaves(self, ghcomp_barrier_wait_cancellable(self));
    ghcomp_barrier_wait(self);
    return false;
}

static inline void report_end(struct ghcomp_member *self)
{
    if (ghcomp_tool_on())
        ghcomp_tool_work_end(self);
}
