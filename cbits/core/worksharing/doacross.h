/* Doacross loops: ordered(n) with depend(source) and depend(sink). Protocol in doacross.c. */
#pragma once

#include "core/worksharing/loop.h"

/* Enters a doacross loop of counts[0] outermost iterations, each of counts[1] * ... * counts[dims-1] inner ones. */
void ghcomp_doacross_enter(struct ghcomp_member *self, uint32_t dims, const uint64_t *counts,
                           struct ghcomp_loop_kind kind, void **memory);

/* Between chunks (loop.c): the member has taken a chunk, or has completed one. */
void ghcomp_doacross_begin(struct ghcomp_member *self);
void ghcomp_doacross_complete(struct ghcomp_member *self);

/* How many numbers an iteration of the member's loop has; 0 when no member can wait in it. */
uint32_t ghcomp_doacross_dims(const struct ghcomp_member *self);
/* depend(source) in `iteration`, depend(sink) on `iteration`. Only when ghcomp_doacross_dims is not 0. */
void ghcomp_doacross_post(struct ghcomp_member *self, const uint64_t *iteration);
void ghcomp_doacross_wait(struct ghcomp_member *self, const uint64_t *iteration);

/* Frees what ghcomp_doacross_enter attached to the share. */
void ghcomp_doacross_free(struct ghcomp_workshare *share);
