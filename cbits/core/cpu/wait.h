/* How a thread waits: spin, then yield, then sleep. One policy for the whole runtime: the plan (wait_plan.h) gives the
 * next action by the kind of the wait, the time waited and facts. Each fact expires, with the time or the number of
 * waits that is stored beside it.
 *
 * Waiting code polls its own condition and, after each miss, calls ghcomp_spin_again, which returns whether to poll
 * again. If not, the thread parks on a futex word (ghcomp_wait_park). Where there is none, ghcomp_spin_again naps.
 */
#pragma once

#include "base/atomic.h"
#include "core/cpu/cpu_load.h"
#include "core/cpu/wait_settings.h"
#include "host/os.h"

enum { GHCOMP_PAUSES_BETWEEN_CLOCKS = 32 };

struct ghcomp_spin {
    uint32_t left;           /* pauses until it next reads the clock */
    uint8_t kind;            /* enum ghcomp_wait_kind */
    uint8_t napped;          /* POST: how often it napped */
    uint8_t yields;          /* yields until it next reads the clock, when oversubscribed */
    bool late;               /* the last yield was late (wait.c), and the wait has not missed since */
    uint64_t own;            /* facts of the wait itself: POLITE, YIELDS_COST, NEW, RETRY; from KIND_SHIFT on its kind;
                                from VERSION_SHIFT on the settings' version when it began (wait.c) */
    uint64_t begin;          /* clock when it was first read; 0 = not read yet */
    uint64_t looked;         /* clock when it was last read; 0 = the thread has slept since */
};

/* Reads the process's CPUs, and sets the limits of waits. Once, before the first wait, and again when settings
   change. */
void ghcomp_wait_init(void);

/* In the child of fork(), where the calling thread is the only one. */
void ghcomp_wait_fork_child(void);

/* A worker that goes to sleep, or ends, no longer counts as awake. */
void ghcomp_wait_worker_leaves(void);

/* Whether threads share CPUs: a waiter should yield its own at the first miss. */
static inline bool ghcomp_wait_yields_at_once(void)
{
    return ghcomp_cpu_load_oversubscribed() || ghcomp_load_relaxed(&ghcomp_cpu_load.shared);
}

/* The slow path of ghcomp_spin_again. */
bool ghcomp_spin_slow(struct ghcomp_spin *spin);

static inline struct ghcomp_spin ghcomp_spin_start(enum ghcomp_wait_kind kind)
{
    return (struct ghcomp_spin){.left = ghcomp_wait_yields_at_once() ? 0 : GHCOMP_PAUSES_BETWEEN_CLOCKS,
                                .kind = (uint8_t)kind};
}

/* The waiter has run other code in between, so its time starts anew. (Most waits that run tasks never read the clock:
   then nothing is stored.) */
static inline void ghcomp_spin_restart(struct ghcomp_spin *spin)
{
    if (ghcomp_unlikely(spin->begin != 0))
        *spin = ghcomp_spin_start((enum ghcomp_wait_kind)spin->kind);
}

/* Pauses, if a pause is left before the next look at the clock. */
static inline bool ghcomp_spin_polls(struct ghcomp_spin *spin)
{
    if (ghcomp_unlikely(spin->left == 0))
        return false;
    spin->left -= ghcomp_cpu_pauses(spin->left);
    return true;
}

/* After a miss: true = poll again (a pause or a yield has passed), false = the budget is used up, park. Never false for
   GHCOMP_WAIT_POST, which naps itself. */
static inline bool ghcomp_spin_again(struct ghcomp_spin *spin)
{
    return ghcomp_spin_polls(spin) || ghcomp_spin_slow(spin);
}

/* Sleeps while *word == value; the thread does not count as awake meanwhile. May return early. */
void ghcomp_wait_park(_Atomic uint32_t *word, uint32_t value);
/* The same, for that many nanoseconds at most. */
void ghcomp_wait_park_for(_Atomic uint32_t *word, uint32_t value, uint32_t nanoseconds);
/* The same for one class of sleepers (ghcomp_os_sleep_class). */
void ghcomp_wait_park_class(_Atomic uint32_t *word, uint32_t value, uint32_t classes);
/* And both. */
void ghcomp_wait_park_class_for(_Atomic uint32_t *word, uint32_t value, uint32_t classes, uint32_t nanoseconds);

/* Waits until *word, bit 0 aside, differs from `seen` (bit 0 clear in it). Returns the new word without bit 0; *slept
   says whether the thread slept. load_acquire, pairs with the exchange that changes the word.

   Bit 0 says that there are waiters. A waiter sets it (cas_acqrel) and sleeps while the word keeps that value. A thread
   that changes the word exchanges it (xchg_acqrel) and wakes the waiters when the old value had the bit. So a change
   without waiters costs no system call, and no wake-up can be lost: the kernel compares the word again before the
   sleep. eventcount.c, mailbox.c and lock.c have protocols of their own. */
uint32_t ghcomp_wait_change(_Atomic uint32_t *word, uint32_t seen, enum ghcomp_wait_kind kind, bool *slept);
