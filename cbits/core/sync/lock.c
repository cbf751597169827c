/* Locks, and nest locks with their count: a futex mutex of four bytes with bounded barging.
 *
 * The word is 0 or holds
 *
 *   HELD          a thread has the lock
 *   SLEEPERS      ordinary waiters may sleep on the word
 *   CLAIMED       the waiter that set this gets the lock next: no other thread may take it
 *   CLAIM_SLEEPS  ... and sleeps on the word
 *   bits 4 to 7   the process generation of the claim
 *   bits 8 to 31  a nest lock's count; changed by its owner, kept by all others
 *
 * A thread that finds the lock free and unclaimed takes it, even if others wait: the last holder's core has the line,
 * and taking the lock again there costs a tenth of a hand-over. A waiter on a free core therefore polls only every
 * POLL_TICKS, because each poll takes the line away (figures: docs/internals/adr/0028).
 *
 * A starved waiter claims the lock: on a free core after PATIENCE polls (about 4 us); with more threads than CPUs after
 * STARVED_NS, because all wait for the claiming thread, which may not have a CPU; and at once after a sleep, because
 * then the lock is held for long. So two threads that only take a lock alternate in bursts of some microseconds.
 *
 * 1. A take is one cas_acquire of 0 (or of an unclaimed word). It pairs with the cas_release or cas_acqrel of the give.
 * 2. An ordinary waiter whose budget (wait.h) is used up sets SLEEPERS and sleeps as class ORDINARY while the word
 *    keeps its value; a claimer sets CLAIM_SLEEPS and sleeps as class CLAIMER.
 * 3. A give with a claim leaves the claim in the word and wakes the claimer if it sleeps; without a claim it sets the
 *    word to 0. In both cases it wakes one ordinary sleeper, if there are any, and clears SLEEPERS: otherwise threads
 *    that pass the lock on by claims would keep the sleepers asleep. Until the woken thread runs, gives make no further
 *    wake-ups. It takes the lock with SLEEPERS set, or sets SLEEPERS and sleeps again, so that the sleepers behind it
 *    are not forgotten.
 * 4. A claim ends when its thread takes the lock, or gives up (5). The thread does not exist in the child of a
 *    fork(): claims of another generation are ignored. A lock that another thread held at the fork() stays held in the
 *    child, as the program's other memory stays what it was; the process-wide locks of critical.c are freed.
 * 5. A waiter may give up (ghcomp_lock_take_for). It then owes two things. First, its claim, because of which all
 *    others wait for it: one cas_acqrel removes the claim from the word while the lock is held; if the lock is free,
 *    the waiter takes it after all, because the last give has passed the lock to the claimer. Second, the wake-up that
 *    may have ended its sleep: a give wakes one sleeper and clears SLEEPERS, so a waiter that has slept sets SLEEPERS
 *    again (in the same cas, or with a claim of another thread in the word), and the next give wakes the sleeper behind
 *    it. A CLAIMER's wake-up that comes after that reaches no sleeper, or ends the sleep of a later claimer early.
 *
 * Called by critical.c, task_queue.c, taskdep_mutex.c, display_affinity.c, haskell/critical.c, abi/gomp/gomp_sync.c,
 * abi/omp/omp_lock.c. Covered by test/unit/lock.c and test/conformance/{lock,critical,atomic}. Explored
 * (test/explore/lock.c): one holder at a time, no waiter sleeps for ever, also beside one that gives up; two threads
 * with three preemptions, three with two.
 */
#include "core/sync/lock.h"

#include "base/check.h"
#include "core/cpu/wait.h"

enum { HELD = GHCOMP_LOCK_HELD, SLEEPERS = GHCOMP_LOCK_SLEEPERS, CLAIMED = GHCOMP_LOCK_CLAIMED,
       CLAIM_SLEEPS = GHCOMP_LOCK_CLAIM_SLEEPS, GENERATION_SHIFT = 4, GENERATION = 0xf0,
       CLAIM = CLAIMED | CLAIM_SLEEPS | GENERATION };
enum { ORDINARY = 1, CLAIMER = 2 };  /* classes of sleepers */
enum { PATIENCE = 32, POLL_TICKS = GHCOMP_TICKS_PER_US / 10 };
static const uint64_t STARVED_NS = 1000000;

static inline uint32_t my_generation(void)
{
    return ghcomp_process_generation << GENERATION_SHIFT & GENERATION;
}

static inline bool claimed(uint32_t word)
{
    return (word & CLAIMED) && (word & GENERATION) == my_generation();
}

/* The state of one take by a waiting thread. */
struct turn {
    struct ghcomp_spin spin;
    uint64_t since;    /* when the thread first waited with more threads than CPUs; 0 = it has not */
    uint32_t polls;
    uint32_t leave;    /* SLEEPERS after a sleep: others may sleep behind this thread */
    bool claims;       /* it set CLAIMED */
};

static bool is_starved(struct turn *turn)
{
    if (turn->leave != 0)
        return true;
    if (!ghcomp_cpu_load_oversubscribed())
        return turn->polls >= PATIENCE;
    uint64_t now = ghcomp_os_now();
    if (turn->since == 0)
        turn->since = now;
    return now - turn->since >= STARVED_NS;
}

/* Waits between two polls of a thread that has no claim, because each poll costs the holder a line transfer: for about
   the time of one transfer, however long the CPU's pause takes. */
static void leave_alone(void)
{
    uint64_t begin = ghcomp_cpu_ticks();
    do
        ghcomp_cpu_pause();
    while (ghcomp_cpu_ticks() - begin < POLL_TICKS);
}

/* Sleeps, unless the word has changed or the thread's time is over. `until`: when it gives up; 0 = never. */
static inline void sleep_on(_Atomic uint32_t *lock, uint32_t word, struct turn *turn, uint64_t until)
{
    uint32_t bit = turn->claims ? CLAIM_SLEEPS : SLEEPERS, class = turn->claims ? CLAIMER : ORDINARY;
    uint64_t now = until != 0 ? ghcomp_os_now() : 0;
    if (until != 0 && now >= until)
        return;
    if (!(word & bit) && !ghcomp_cas_acqrel(lock, &word, word | bit))
        return;
    if (until != 0)
        ghcomp_wait_park_class_for(lock, word | bit, class, (uint32_t)(until - now));
    else
        ghcomp_wait_park_class(lock, word | bit, class);
    turn->leave = SLEEPERS;
    turn->spin = ghcomp_spin_start(turn->claims ? GHCOMP_WAIT_TEAM : GHCOMP_WAIT_LOCK);
}

/* Whether the waiter's time is over; reads the clock only at some polls. If the clock cannot be read (0), the wait ends
   after the first sleep. */
static inline bool gives_up(const struct turn *turn, uint64_t until)
{
    enum { POLLS = 64 };
    if (until == 0 || (turn->spin.left > 0 && turn->polls % POLLS != 0))
        return false;
    uint64_t now = ghcomp_os_now();
    return now >= until || (now == 0 && turn->leave != 0);
}

/* Leaves the wait (step 5). True: the lock was free, and the thread has taken it. */
static bool give_up(_Atomic uint32_t *lock, const struct turn *turn)
{
    uint32_t word = ghcomp_load_relaxed(lock), left;
    for (;;) {
        if (!(word & HELD) && (turn->claims || !claimed(word))) {
            if (ghcomp_cas_acquire(lock, &word, (word & ~(uint32_t)CLAIM) | HELD | turn->leave))
                return true;
            continue;
        }
        left = (turn->claims ? word & ~(uint32_t)CLAIM : word) | turn->leave;
        if (left == word || ghcomp_cas_acqrel(lock, &word, left))
            return false;
    }
}

/* Inlined, so that a wait without a limit does not ask for it. */
static inline __attribute__((always_inline)) bool take(_Atomic uint32_t *lock, uint64_t until)
{
    struct turn turn = {.spin = ghcomp_spin_start(GHCOMP_WAIT_LOCK)};
    for (;;) {
        uint32_t word = ghcomp_load_relaxed(lock);
        bool barred = claimed(word) && !turn.claims;
        if (!(word & HELD) && !barred) {
            if (ghcomp_cas_acquire(lock, &word, (word & ~(uint32_t)CLAIM) | HELD | turn.leave))
                return true;
            continue;
        }
        if (!turn.claims && !barred && is_starved(&turn)) {
            uint32_t claim = (word & ~(uint32_t)CLAIM) | CLAIMED | my_generation();
            turn.claims = ghcomp_cas_acqrel(lock, &word, claim);
            /* All others wait for this thread now, so it may spin for longer. */
            if (turn.claims)
                turn.spin = ghcomp_spin_start(GHCOMP_WAIT_TEAM);
            continue;
        }
        turn.polls++;
        if (gives_up(&turn, until))
            return give_up(lock, &turn);
        if (!turn.claims && turn.spin.left > 0)
            leave_alone();
        if (!ghcomp_spin_again(&turn.spin))
            sleep_on(lock, word, &turn, until);
    }
}

void ghcomp_lock_take_slow(_Atomic uint32_t *lock)
{
    take(lock, 0);
}

bool ghcomp_lock_take_for(_Atomic uint32_t *lock, uint32_t nanoseconds)
{
    uint64_t until = ghcomp_os_now() + nanoseconds;
    return take(lock, until);
}

bool ghcomp_lock_try_slow(_Atomic uint32_t *lock)
{
    uint32_t word = ghcomp_load_relaxed(lock);
    while (!(word & HELD) && !claimed(word))
        if (ghcomp_cas_acquire(lock, &word, (word & ~(uint32_t)CLAIM) | HELD))
            return true;
    return false;
}

void ghcomp_lock_give_slow(_Atomic uint32_t *lock)
{
    uint32_t word = ghcomp_load_relaxed(lock), left;
    do
        left = claimed(word) ? word & ~(uint32_t)(HELD | SLEEPERS | CLAIM_SLEEPS) : 0;
    while (!ghcomp_cas_acqrel(lock, &word, left));
    /* The lock's memory may be freed from here on: a wake-up only names its address. */
    if (left != 0 && (word & CLAIM_SLEEPS))
        ghcomp_os_wake_class(lock, 1, CLAIMER);
    if (word & SLEEPERS)
        ghcomp_os_wake_class(lock, 1, ORDINARY);
}

/* --- nest locks ----------------------------------------------------------------------------------------- */

void ghcomp_nest_lock_init(struct ghcomp_nest_lock *nest)
{
    ghcomp_store_relaxed(&nest->owner, 0u);
    ghcomp_lock_init(&nest->lock);
}

/* Takes the lock once more for its owner. The addition is atomic, because other threads may change other bits of the
   word. */
static int take_again(struct ghcomp_nest_lock *nest)
{
    uint32_t depth = ghcomp_add_relaxed(&nest->lock, GHCOMP_NEST_ONE) / GHCOMP_NEST_ONE + 2;
    if (depth > UINT32_MAX / GHCOMP_NEST_ONE)
        ghcomp_fatal("a nest lock is taken %u times without being unset; unset it as often as it is set",
                     depth);
    return (int)depth;
}

void ghcomp_nest_lock_take(struct ghcomp_nest_lock *nest, uint32_t owner)
{
    if (ghcomp_load_relaxed(&nest->owner) == owner) {
        take_again(nest);
        return;
    }
    ghcomp_user_lock_take(&nest->lock);
    ghcomp_store_relaxed(&nest->owner, owner);
}

int ghcomp_nest_lock_try(struct ghcomp_nest_lock *nest, uint32_t owner)
{
    if (ghcomp_load_relaxed(&nest->owner) == owner)
        return take_again(nest);
    if (!ghcomp_user_lock_try(&nest->lock))
        return 0;
    ghcomp_store_relaxed(&nest->owner, owner);
    return 1;
}

void ghcomp_nest_lock_give(struct ghcomp_nest_lock *nest)
{
    if (ghcomp_load_relaxed(&nest->lock) >= GHCOMP_NEST_ONE) {
        ghcomp_sub_relaxed(&nest->lock, GHCOMP_NEST_ONE);
        return;
    }
    ghcomp_store_relaxed(&nest->owner, 0u);
    ghcomp_user_lock_give(&nest->lock);
}

uint32_t ghcomp_lock_thread_name(struct ghcomp_thread *thread)
{
    static _Atomic uint32_t last; /* atomic(relaxed): only the numbers differ */
    if (thread->lock_name == 0)
        thread->lock_name = ghcomp_add_relaxed(&last, 1u) | GHCOMP_LOCK_OF_THREAD;
    return thread->lock_name;
}
