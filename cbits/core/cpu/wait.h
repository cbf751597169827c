/* How a thread waits: spin, then yield, then sleep. One policy for the whole runtime.
 *
 * Waiting code polls its own condition and, after each miss, asks a `struct ghcomp_spin` whether to poll again. When
 * the answer is no, it parks on a futex word (ghcomp_wait_park) or, where a post must not cost a system call, naps.
 *
 * Budgets are time, because a wake-up costs the sleeper about 40 us. On a free CPU a waiter spins for 2 ms before it
 * parks. When the process is *oversubscribed*, that is, runs more OpenMP threads than it has CPUs, a waiter gives its
 * CPU away at the first miss. What counts are the workers that are not asleep, and the caller. The count changes only
 * when a worker goes to sleep or is woken, so that no region pays for it. On a free CPU, too, a waiter yields between
 * polls once it has waited for longer than a hand-over takes: the CPU may be free of our threads and yet wanted by
 * others, or by the very thread that is waited for. The thread's next waits then yield sooner.
 *
 * When the process is oversubscribed, a yield may cost whole time slices of threads that compute, ours or others. A
 * loop that hands over row by row (doacross, ordered) would go at their pace. So a thread whose yield took that long
 * naps in its next POST waits, without yielding first, and parks at once in its next TURN waits. It does the same after
 * a TURN wait that used up its budget. In a trial with five threads on two CPUs beside six processes such a loop took a
 * sixth of the time.
 *
 * A team's threads may wait for each other by other means than the runtime's, too: all but one poll a variable of the
 * program's, and the one that is to set it yields in a barrier whose end has come. To the kernel the pollers compute,
 * and a thread that yielded to them comes back when they have used up a slice, or given up. So a thread whose yield in
 * a TEAM or BARRIER wait took LATE_NS for each thread on its CPU (where many share it, a yield that goes round them
 * takes longer), and that then found the wait over, has *come back late*: in its next such waits it parks at once,
 * since a thread that is woken preempts those that compute. The wait's next miss shows that it was not over, and takes
 * that back. Waits in regions with tasks are no part of this, because their threads yield to mates that run tasks,
 * which is no loss; nor is a process whose user has set a waiting policy or a spin count.
 *
 * Several masters: threads of a C program that have regions at the same time are counted when they wait (masters.c),
 * and a wait for the members of one's own team counts those, too, though they may be asleep: they want a CPU. When a
 * thread came back late there, be it from a TEAM, BARRIER or MAIL wait, all threads sleep at once for a while in TEAM
 * and MAIL waits, which masters.c explains.
 *
 * Neighbours: other processes that compute on the same CPUs (neighbours.c). While they are assumed, nobody yields to
 * them. A thread that has met one on its own CPU spins for HERE_NS and then sleeps; others spin for longer than a slice
 * of the kernel's, so that a CPU that is ours is not left while a team-mate is off its own, unless there is a crowd.
 * A thread in its first waits could have met none yet, and a free worker has no team-mate: both sleep after NEW_NS, for
 * their CPU may be the one that the next thread, or the team-mate, is to run on.
 * Members of a team that is larger than the machine sleep at once. Threads that share a CPU with each other yield to
 * each other at once, with neighbours or without. Where the user has set a waiting policy or a spin count no neighbours
 * are assumed.
 *
 * In a Haskell program busy Capabilities count, too (cpu_account.h). The CPUs are *contended* when threads and
 * Capabilities together are more than the CPUs, though the threads alone are not. A region's thread counts whether it
 * is awake or not: where it is to run on the CPU of the thread that waits for it, it is awake only when that one is
 * off. Then nobody yields: the kernel returns to a thread that has yielded to a computing one only after milliseconds.
 * A waiter spins for CONTENDED_NS, which covers a short region (a sleep in it would cost its master the Capability that
 * it came from), and then sleeps. It spins for a quarter of that while a collection is running, for a collector that
 * lacks a CPU holds up all of Haskell, and not at all when it shares its CPU with another thread of ours
 * (neighbours.c), which may be the one that it waits for. Where it waits for its turn or a post (TURN, SINK, POST), or
 * in a barrier, it yields to that thread as long as Haskell leaves a CPU, because two threads that wait for each
 * other at each iteration would sleep and wake each other at each. A yield that took a slice shows that Haskell is on
 * this CPU, too; then it naps or parks as above. At a region's end it sleeps: its mate may have long to go, and the
 * mates sleep until the next region anyway.
 *
 * Two threads on one CPU that wait for each other's turns or posts pay a switch for each iteration, which takes the
 * kernel microseconds; on two CPUs a hand-over takes a tenth of one. So the worker of the two moves to another CPU
 * (ghcomp_neighbours_part) and competes with Haskell there, by the kernel's slices: both run at the same time half of
 * the time, and Haskell loses that half of a CPU. This is worth it where the switches take as long as the iterations,
 * that is, where the worker waits again after FREQUENT_NS. With longer iterations two threads on one CPU do nearly as
 * much, and Haskell keeps its own. Where Haskell is on all CPUs it loses nothing, and the worker moves anyway: after
 * EVERYWHERE_WAITS that found it there, since a collection makes all Capabilities look busy for a moment.
 *
 * A look at the Capabilities costs more than such a hand-over, since Haskell writes to their lines all the time. So
 * what one waiter has seen holds for all for HASKELL_NS.
 *
 * When the threads alone are more than the CPUs, and as many Capabilities are busy as there are CPUs, the CPUs are
 * contended, too: a thread that yields loses its CPU to Haskell for a whole slice, wherever it is. Members of a team
 * that is larger than the machine do not spin either then. While Haskell leaves a CPU they yield to each other.
 *
 * The futex words of teams, mails and locks have a waiters bit, bit 0. A waiter sets it (cas_acqrel) and sleeps while
 * the word keeps that value. A thread that changes the word exchanges it (xchg_acqrel) and wakes the waiters when the
 * old value had the bit. So a change without waiters costs no system call, and no wake-up can be lost: the kernel
 * compares the word again before the sleep.
 */
#pragma once

#include "base/atomic.h"
#include "host/os.h"

/* What is waited for, which sets the budgets. */
enum ghcomp_wait_kind {
    GHCOMP_WAIT_TEAM,    /* the join, a wait for tasks: other threads of the team work meanwhile */
    GHCOMP_WAIT_BARRIER, /* the same, and members wait for each other again and again */
    GHCOMP_WAIT_MAIL, /* the next region: nothing is left to do */
    GHCOMP_WAIT_LOCK, /* lock, critical, copyprivate: short */
    GHCOMP_WAIT_TURN, /* ordered: like POST, but parks */
    GHCOMP_WAIT_SINK, /* doacross: like TURN while the CPUs are contended, else like POST */
    GHCOMP_WAIT_POST, /* what is waited for has no word to sleep on: never parks, naps instead */
    GHCOMP_WAIT_KINDS
};

enum {
    GHCOMP_PAUSES_BETWEEN_CLOCKS = 32,
    GHCOMP_FREE_NS = 2000000 /* spinning on a free CPU, where the user has not said how to wait */
};

struct ghcomp_spin {
    uint32_t left;           /* pauses until the next look at the clock */
    uint8_t kind;            /* enum ghcomp_wait_kind */
    uint8_t napped;          /* SINK, POST: how often it napped */
    uint8_t yields;          /* until the next look at the clock, when oversubscribed */
    bool polite;             /* on a free CPU: yields between polls */
    bool naps;               /* TURN, SINK, POST: yields are slow now; TEAM, BARRIER: it came back late from one */
    bool late;               /* TEAM, BARRIER: the last yield was late, and the wait has not missed since */
    uint64_t begin;          /* clock at the first look; 0 = not looked yet */
    uint64_t looked;         /* clock at the last look; 0 = the thread has slept since */
};

/* The atomic fields are relaxed: hints, nothing is ordered by them. */
struct ghcomp_wait_state {
    _Atomic uint32_t awake GHCOMP_ALIGNED_PAIR; /* workers that are not asleep; sub_seqcst, see cpu_account.c */
    _Atomic uint32_t inside;           /* members of regions that have entered Haskell */
    /* What else wants a CPU, as of the last wait: masters in regions (in a process of C, those of masters.c), busy
       Capabilities. */
    _Atomic uint32_t beside GHCOMP_ALIGNED_PAIR;
    _Atomic bool cpu_contended;        /* as of then: the CPUs are contended, see above */
    _Atomic bool cpu_shared;           /* threads of ours share a CPU (neighbours.c) */
    uint32_t cpus GHCOMP_ALIGNED_PAIR; /* immutable after ghcomp_wait_init */
    /* Changed while threads wait by kmp_set_blocktime() alone: relaxed. */
    uint64_t free_budget[GHCOMP_WAIT_KINDS];           /* ns of spinning on a free CPU */
    uint64_t oversubscribed_budget[GHCOMP_WAIT_KINDS]; /* ns of yielding when oversubscribed */
};
extern struct ghcomp_wait_state ghcomp_wait GHCOMP_OWN;

/* Sets the budgets from OMP_WAIT_POLICY, GOMP_SPINCOUNT, KMP_BLOCKTIME and the CPUs. Once, before the first wait. */
void ghcomp_wait_init(void);
/* Another time of spinning on a free CPU, in ns; UINT64_MAX: no end. From the next wait on. */
void ghcomp_wait_set_budget(uint64_t free_ns);

/* In the child of fork(), where the calling thread is the only one. */
void ghcomp_wait_fork_child(void);

/* Whether workers without a region sleep at the latest after the time that is usual. Where OMP_WAIT_POLICY or
   KMP_BLOCKTIME is for longer, they may never sleep. */
static inline bool ghcomp_wait_workers_sleep_soon(void)
{
    return ghcomp_foreign_load_relaxed(&ghcomp_wait.free_budget[GHCOMP_WAIT_MAIL]) <= GHCOMP_FREE_NS;
}

/* A worker goes to sleep, or ends: it is not awake any more. */
void ghcomp_wait_worker_leaves(void);

/* The process's threads that want a CPU. */
static inline uint32_t ghcomp_wait_threads(void)
{
    return ghcomp_load_relaxed(&ghcomp_wait.awake) + ghcomp_load_relaxed(&ghcomp_wait.beside);
}

static inline bool ghcomp_wait_oversubscribed(void)
{
    return ghcomp_wait_threads() > ghcomp_wait.cpus;
}

/* The same, or threads share a CPU for another reason: a waiter should give it away at the first miss. */
static inline bool ghcomp_wait_yields_at_once(void)
{
    return ghcomp_wait_oversubscribed() || ghcomp_load_relaxed(&ghcomp_wait.cpu_shared);
}

/* The slow path of ghcomp_spin_again. */
bool ghcomp_spin_slow(struct ghcomp_spin *spin);

static inline struct ghcomp_spin ghcomp_spin_start(enum ghcomp_wait_kind kind)
{
    return (struct ghcomp_spin){.left = ghcomp_wait_yields_at_once() ? 0 : GHCOMP_PAUSES_BETWEEN_CLOCKS,
                                .kind = (uint8_t)kind};
}

/* The waiter has done something else in between. (Most waits that run tasks never look at the clock: then there is
   nothing to restart, and nothing is stored.) */
static inline void ghcomp_spin_restart(struct ghcomp_spin *spin)
{
    if (ghcomp_unlikely(spin->begin != 0))
        *spin = ghcomp_spin_start((enum ghcomp_wait_kind)spin->kind);
}

/* After a miss: true = poll again (a pause or a yield has passed), false = the budget is used up, park. Never false for
   GHCOMP_WAIT_POST, which naps itself, and for GHCOMP_WAIT_SINK only while the CPUs are contended. */
static inline bool ghcomp_spin_again(struct ghcomp_spin *spin)
{
    if (ghcomp_likely(spin->left > 0)) {
        spin->left--;
        ghcomp_cpu_pause();
        return true;
    }
    return ghcomp_spin_slow(spin);
}

/* Sleeps while *word == value; the thread does not count as awake meanwhile. May return early. */
void ghcomp_wait_park(_Atomic uint32_t *word, uint32_t value);
/* The same, for that many nanoseconds at most. */
void ghcomp_wait_park_for(_Atomic uint32_t *word, uint32_t value, uint32_t nanoseconds);
/* The same for one class of sleepers (ghcomp_os_sleep_class). */
void ghcomp_wait_park_class(_Atomic uint32_t *word, uint32_t value, uint32_t classes);

/* Waits until *word, bit 0 aside, differs from `seen` (bit 0 clear in it). Returns the new word without bit 0; *slept
   says whether the thread slept. load_acquire, pairs with the exchange that changes the word. */
uint32_t ghcomp_wait_change(_Atomic uint32_t *word, uint32_t seen, enum ghcomp_wait_kind kind, bool *slept);
