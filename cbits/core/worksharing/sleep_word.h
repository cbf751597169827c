/* Sleep words: futex words on which members sleep until a number that another member stores has reached a value. The
 * number is in a separate word: the turn of an ordered loop, a slot or the posts of a doacross loop. The callers map
 * numbers to sleep words.
 *
 * The protocol is that of wait.h, with the number as a condition beside the word. A member that wants to sleep loads
 * the sleep word (ghcomp_sleep_word_load: load_acquire), then loads the number (load_acquire), then sets the word's bit
 * 0 (cas_acqrel) and sleeps while the word keeps that value. A member that has stored a number (store_release) then
 * changes the word (cas_acqrel: another value, bit 0 clear) and wakes all sleepers if bit 0 was set. If the word was
 * changed before its load, the waiter sees the number; if after it, either the waiter's cas fails or the changing
 * member sees the bit.
 *
 * Loops in which no member sleeps do not pay for that: sleep words are changed only once a member has set `slept_for`,
 * because it will sleep. Nothing orders a member's load of that flag and its store of a number, so it may miss the flag
 * at first; and the cancellation of the region wakes no sleepers. Therefore a sleep ends after GHCOMP_SLEEP_WORD_NS.
 * The flag stays set until the loop ends, so at most the loop's first sleepers are missed.
 *
 * Called by ordered.c, doacross.c and posts.c. Covered by test/unit/{doacross_sleep,posts_sleep,ordered}.c. */
#pragma once

#include <limits.h>

#include "core/cpu/wait.h"

enum { GHCOMP_SLEEP_WORD_NS = 2000000 /* rare: see above */ };

/* Returns the sleep word, for ghcomp_sleep_word_wait. Called before the member loads the number. */
static inline uint32_t ghcomp_sleep_word_load(_Atomic uint32_t *sleep_word, _Atomic bool *slept_for)
{
    if (!ghcomp_load_relaxed(slept_for))
        ghcomp_store_relaxed(slept_for, true);
    return ghcomp_load_acquire(sleep_word);
}

/* Sleeps. Called when the number has not been reached; may return early. */
static inline void ghcomp_sleep_word_wait(_Atomic uint32_t *sleep_word, uint32_t word)
{
    if ((word & 1u) == 0 && !ghcomp_cas_acqrel(sleep_word, &word, word | 1u))
        return;
    ghcomp_wait_park_for(sleep_word, word | 1u, GHCOMP_SLEEP_WORD_NS);
}

/* Wakes the sleepers. Called after the number has been stored, if `slept_for` is set. */
static inline void ghcomp_sleep_word_wake(_Atomic uint32_t *sleep_word)
{
    uint32_t word = ghcomp_load_relaxed(sleep_word);
    while (!ghcomp_cas_acqrel(sleep_word, &word, (word | 1u) + 1u))
        continue;
    if (word & 1u)
        ghcomp_os_wake(sleep_word, INT_MAX);
}
