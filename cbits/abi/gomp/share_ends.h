/* The ends of loops and sections in gcc's code, which are the same: for gomp_loop.c and gomp_sections.c. Tests:
 * test/conformance/{for,sections}. */
#pragma once

#include "abi/observed/loop.h"
#include "core/sync/barrier.h"
#include "core/team/cancel.h"

static inline __attribute__((always_inline)) void end_with_barrier(const void *return_address, void *frame)
{
    struct ghcomp_member *self = ghcomp_self_fast;
    if (ghcomp_unlikely(self == NULL)) {
        end_observed(false, return_address, frame);
        return;
    }
    ghcomp_loop_leave(self);
    ghcomp_barrier_wait_fast(self);
}

static inline void end_nowait(void)
{
    struct ghcomp_member *self = ghcomp_self();
    report_end(self);
    ghcomp_loop_leave(self);
}

/* Ends the construct with a barrier that may be cancelled. True: the region is cancelled. */
static inline __attribute__((always_inline)) bool end_with_cancellable_barrier(const void *return_address, void *frame)
{
    struct ghcomp_member *self = ghcomp_self_fast;
    if (ghcomp_unlikely(self == NULL))
        return end_observed(true, return_address, frame);
    ghcomp_loop_leave(self);
    return ghcomp_cancel_leaves(self, ghcomp_barrier_wait_cancellable_fast(self));
}
