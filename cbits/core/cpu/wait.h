/* How a thread waits: spin, then yield, then sleep. One policy for the whole machine.
 *
 * Waiting code polls its own condition and asks a `struct ghcomp_spin` after each miss whether to poll again; when the
 * answer is no, it parks on a futex word (ghcomp_wait_park) or, where a post must not cost a system call, naps.
 *
 * Budgets are time, because a wake-up costs the sleeper about 40 us: on a free core a waiter spins for 2 ms before it
 * parks; when the process runs more OpenMP threads than it has CPUs it gives the CPU away at the first
 * miss. "Runs more threads" means: workers that are not asleep, plus the caller, exceed the CPUs. The count changes
 * only when a worker goes to sleep or is woken, so that no region pays for it. On a free core, too, a waiter yields
 * between polls once it has waited for longer than a hand-over takes: the core may be free of our threads and yet
 * wanted by others, or by the very thread that is waited for. The thread's next waits then yield sooner.
 *
 * Beside other processes that compute, a yield costs whole turns of theirs, some milliseconds, while who wakes up comes
 * before them. A loop that hands over row by row (doacross, ordered) would go at their pace; so a thread whose yield
 * took that long naps in its next POST waits, without yielding first, and parks at once in its next TURN waits; that it
 * also does after a turn that its yields did not last for. In a trial with five threads on two cores beside
 * six processes such a loop took a sixth of the time.
 *
 * In a Haskell program busy Capabilities count, too (cpu_account.h). When threads and Capabilities together are more than the
 * CPUs, though the threads alone are not, Haskell is *contended*. Then nobody yields: the kernel gives a thread that
 * yields to one that computes its turn back after milliseconds. A waiter spins for CONTENDED_NS, which covers a short
 * region (a sleep in it would cost its master the Capability that it came from), and then sleeps; a quarter of that
 * while a collection is at work, for a collector that lacks a CPU holds up all of Haskell.
 *
 * Sleeping words: bit 0 of a word that threads sleep on says that somebody sleeps. The waiter sets it (cas_acqrel) and
 * sleeps while the word keeps that value; whoever changes the word exchanges it (xchg_acqrel) and wakes when the old
 * value had the bit. So a change that nobody sleeps through costs no system call, and no wake-up can be lost: the
 * kernel compares the word again before the sleep.
 */
#pragma once

#include "base/atomic.h"
#include "host/os.h"

/* What is waited for, which sets the budgets. */
enum ghcomp_wait_kind {
    GHCOMP_WAIT_TEAM, /* a barrier, the join: other threads of the team work meanwhile */
    GHCOMP_WAIT_MAIL, /* the next region: nothing is left to do */
    GHCOMP_WAIT_LOCK, /* lock, critical, copyprivate: short */
    GHCOMP_WAIT_TURN, /* ordered: waits like POST, but parks */
    GHCOMP_WAIT_POST, /* doacross: never parks on a word, naps instead */
    GHCOMP_WAIT_KINDS
};

enum { GHCOMP_PAUSES_BETWEEN_CLOCKS = 32 };

struct ghcomp_spin {
    uint32_t left;           /* pauses until the next look at the clock */
    uint8_t kind;            /* enum ghcomp_wait_kind */
    uint8_t napped;          /* POST: how often it napped */
    uint8_t yields;          /* until the next look at the clock, where there are more threads than CPUs */
    bool polite;             /* on a free core: yields between polls */
    bool naps;               /* TURN, POST: yields are dear now */
    uint64_t begin;          /* clock at the first look; 0 = not looked yet */
};

/* Workers that are not asleep; relaxed: it is a hint, nothing is ordered by it. */
struct ghcomp_wait_state {
    _Atomic uint32_t awake GHCOMP_ALIGNED_PAIR;
    _Atomic uint32_t inside;           /* members of regions that have entered Haskell */
    /* Who else wants a core, as it was when somebody waited last: masters in regions, busy Capabilities. */
    _Atomic uint32_t beside GHCOMP_ALIGNED_PAIR;
    _Atomic bool cpu_contended;              /* as it was then: Haskell is, see above */
    uint32_t cpus GHCOMP_ALIGNED_PAIR; /* immutable after ghcomp_wait_init */
    uint64_t free_budget[GHCOMP_WAIT_KINDS];    /* ns of spinning on a free core */
    uint64_t oversubscribed_budget[GHCOMP_WAIT_KINDS]; /* ns of yielding when there are more threads than CPUs */
};
extern struct ghcomp_wait_state ghcomp_wait;

/* Sets the budgets from OMP_WAIT_POLICY, GOMP_SPINCOUNT and the CPUs. Once, before the first wait. */
void ghcomp_wait_init(void);

/* In the child of fork(): the calling thread is alone. */
void ghcomp_wait_fork_child(void);

static inline bool ghcomp_wait_oversubscribed(void)
{
    return ghcomp_load_relaxed(&ghcomp_wait.awake) + ghcomp_load_relaxed(&ghcomp_wait.beside) > ghcomp_wait.cpus;
}

/* The slow half of ghcomp_spin_again. */
bool ghcomp_spin_slow(struct ghcomp_spin *spin);

static inline struct ghcomp_spin ghcomp_spin_start(enum ghcomp_wait_kind kind)
{
    return (struct ghcomp_spin){.left = ghcomp_wait_oversubscribed() ? 0 : GHCOMP_PAUSES_BETWEEN_CLOCKS,
                                .kind = (uint8_t)kind};
}

/* After a miss: true = poll again (a pause or a yield has passed), false = the budget is used up, park. Never false for
   GHCOMP_WAIT_POST, which naps by itself. */
static inline bool ghcomp_spin_again(struct ghcomp_spin *spin)
{
    if (ghcomp_likely(spin->left > 0)) {
        spin->left--;
        ghcomp_cpu_pause();
        return true;
    }
    return ghcomp_spin_slow(spin);
}

/* Sleeps while *word == value, not counted as awake meanwhile. May return early. */
void ghcomp_wait_park(_Atomic uint32_t *word, uint32_t value);
/* The same, for that many nanoseconds at most. */
void ghcomp_wait_park_for(_Atomic uint32_t *word, uint32_t value, uint32_t nanoseconds);
/* The same for one class of sleepers (ghcomp_os_sleep_class). */
void ghcomp_wait_park_class(_Atomic uint32_t *word, uint32_t value, uint32_t classes);

/* Waits until *word, bit 0 aside, differs from `seen` (bit 0 clear in it). Returns the new word without bit 0; *slept
   says whether the thread slept. load_acquire, pairs with the exchange of whoever changes the word. */
uint32_t ghcomp_wait_change(_Atomic uint32_t *word, uint32_t seen, enum ghcomp_wait_kind kind, bool *slept);
