/* Whether a loop had better run in the Haskell thread that called for it. Protocol in helpers.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* From unsafe calls, all of these. */

/* Whether a region opened now would have nobody but its caller to run Haskell; false without visibility. Polls for some
   microseconds at most. */
bool ghcomp_helpers_none(void);

/* For a loop that runs in its caller: 0 when the rest of it had better be a region, else the time of the last look.
   That is `looked`, what the function gave before, as long as another look would come too early. */
uint64_t ghcomp_hs_helpers_poll(uint64_t looked) __attribute__((visibility("default")));
/* What that begins with. */
uint64_t ghcomp_hs_ticks(void) __attribute__((visibility("default")));
