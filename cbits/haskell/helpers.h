/* Whether a loop can get helpers, or should run in its calling Haskell thread. Protocol in helpers.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* All of these are for unsafe calls. */

/* Whether, in a region that begins now, only the caller could run Haskell; false when the Capabilities are not visible.
   Polls for some microseconds at most. */
bool ghcomp_helpers_none(void);

/* For a loop that runs in its caller. Returns 0 when the rest should become a region, otherwise the time of the last
   look: this is `looked`, the result of the previous call, as long as no new look is due. */
uint64_t ghcomp_hs_helpers_poll(uint64_t looked) __attribute__((visibility("default")));
/* The present time: the value of `looked` for the first call of the function above or below. */
uint64_t ghcomp_hs_ticks(void) __attribute__((visibility("default")));
/* For a loop that its caller has begun alone although others can help: 0 when the `left` iterations are worth a region,
   if they take as long as the `done` ones since the look at `looked`; otherwise the time now, for the next call. */
uint64_t ghcomp_hs_worth_region(uint64_t looked, uint64_t done, uint64_t left) __attribute__((visibility("default")));
