/* Ordered regions of a worksharing loop. Protocol in ordered.c. */
#pragma once

#include "core/tsan/races.h"
#include "core/worksharing/workshare.h"

/* Prepares the share of a loop with ordered regions, before its publication: the first chunk has the turn. */
void ghcomp_ordered_fill(struct ghcomp_workshare *share);
/* The beginning of an ordered region: waits for the turn of the member's chunk. */
void ghcomp_ordered_wait(struct ghcomp_member *self);
/* Begin and end an ordered region of compiled code: the same with ThreadSanitizer's hooks. */
static inline void ghcomp_ordered_enter(struct ghcomp_member *self)
{
    ghcomp_ordered_wait(self);
    ghcomp_races_acquire(ghcomp_observers_now(), &self->share->turn);
}
static inline void ghcomp_ordered_leave(struct ghcomp_member *self)
{
    ghcomp_races_release(ghcomp_observers_now(), &self->share->turn);
}
/* Waits for the turn, at most for the length of a sleep (some milliseconds). True: the turn has come. `again`: the wait
   for this turn goes on after such a call, and sleeps at once. */
bool ghcomp_ordered_wait_briefly(struct ghcomp_member *self, bool again);
/* Whether the member's chunk has its turn. */
bool ghcomp_ordered_due(const struct ghcomp_member *self);
/* The end of a chunk of an ordered loop: passes the turn to the next chunk. */
void ghcomp_ordered_pass(struct ghcomp_member *self);
