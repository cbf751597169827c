/* Ordered regions of a worksharing loop. Protocol in ordered.c. */
#pragma once

#include "core/worksharing/workshare.h"

/* The beginning of an ordered region: waits for the turn of the member's chunk. */
void ghcomp_ordered_wait(struct ghcomp_member *self);
/* The end of a chunk of an ordered loop: passes the turn to the next chunk. */
void ghcomp_ordered_pass(struct ghcomp_member *self);
