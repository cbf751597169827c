/* Doacross loops: ordered(n) with depend(source) and depend(sink). Protocol in doacross.c. */
#pragma once

#include "core/worksharing/loop.h"

/* Enters a doacross loop of counts[0] outermost iterations, each of counts[1] * ... * counts[dims-1] inner ones. */
void ghcomp_doacross_enter(struct ghcomp_member *self, uint32_t dims, const uint64_t *counts,
                           struct ghcomp_loop_kind kind, void **memory);

/* Called by loop.c when the member has taken a chunk, and when it has completed one. */
void ghcomp_doacross_begin(struct ghcomp_member *self);
void ghcomp_doacross_complete(struct ghcomp_member *self);

/* The number of loops in the member's nest, and so of indices of an iteration; 0: no member can wait, so posts and
   waits are omitted. */
uint32_t ghcomp_doacross_dims(const struct ghcomp_member *self);
/* depend(source) in `iteration`, depend(sink) on `iteration`. Only when ghcomp_doacross_dims is not 0. */
void ghcomp_doacross_post(struct ghcomp_member *self, const uint64_t *iteration);
void ghcomp_doacross_wait(struct ghcomp_member *self, const uint64_t *iteration);

/* Frees what ghcomp_doacross_enter attached to the share. */
void ghcomp_doacross_free(struct ghcomp_workshare *share);
