/* Beds: futex words on which members sleep until another member's `number` has come so far, where that number has a
 * word of its own: ordered's turn, a doacross loop's slot or posts. Which member sleeps on which bed is their affair.
 *
 * The protocol is that of wait.h, with the number as a condition beside the word. A member that wants to sleep reads
 * the bed (ghcomp_bed_look: load_acquire), then looks at the number (load_acquire), then sets the bed's bit 0
 * (cas_acqrel) and sleeps while the bed is as it was. A member that has stored a number (store_release) then changes
 * the bed (cas_acqrel: another value, bit 0 clear) and wakes if bit 0 said that somebody sleeps. If the bed was changed
 * before the read, the look sees the number; if after it, either the cas fails or the changing member sees the bit.
 *
 * Loops in which no member sleeps do not pay for that: beds are changed only once a member has said in `slept_for` that
 * it will sleep. Nothing orders a member's look at that flag and its store of a number, so it may miss the flag at
 * first; and nobody wakes sleepers when the region is cancelled. Therefore a sleep ends after GHCOMP_BED_NS. The flag
 * stays set for as long as the loop, which misses its first sleepers at most.
 *
 * Called by ordered.c, doacross.c and posts.c. Covered by test/unit/{doacross_sleep,posts_sleep,ordered}.c. */
#pragma once

#include <limits.h>

#include "core/cpu/wait.h"

enum { GHCOMP_BED_NS = 2000000 /* rare: see above */ };

/* Before the member looks at the number: what ghcomp_bed_sleep needs. */
static inline uint32_t ghcomp_bed_look(_Atomic uint32_t *bed, _Atomic bool *slept_for)
{
    if (!ghcomp_load_relaxed(slept_for))
        ghcomp_store_relaxed(slept_for, true);
    return ghcomp_load_acquire(bed);
}

/* The number has not come. May return early. */
static inline void ghcomp_bed_sleep(_Atomic uint32_t *bed, uint32_t word)
{
    if ((word & 1u) == 0 && !ghcomp_cas_acqrel(bed, &word, word | 1u))
        return;
    ghcomp_wait_park_for(bed, word | 1u, GHCOMP_BED_NS);
}

/* The number has been stored, and some member has said that it will sleep. */
static inline void ghcomp_bed_wake(_Atomic uint32_t *bed)
{
    uint32_t word = ghcomp_load_relaxed(bed);
    while (!ghcomp_cas_acqrel(bed, &word, (word | 1u) + 1u))
        continue;
    if (word & 1u)
        ghcomp_os_wake(bed, INT_MAX);
}
