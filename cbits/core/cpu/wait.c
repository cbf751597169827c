/* How a thread waits. Policy and futex words: wait.h.
 *
 * Called by barrier.c, pool.c, team.c, lock.c and everything that waits for another thread. Covered by
 * test/unit/{wait,late_yields,masters,parting}.c and, under load, by test/unit/team.c.
 */
#include "core/cpu/wait.h"

#include "core/cpu/cpu_account.h"
#include "core/cpu/masters.h"
#include "core/cpu/neighbours.h"
#include "core/state/types.h"
#include "core/trace/trace.h"

struct ghcomp_wait_state ghcomp_wait = {.beside = 1, .cpus = 1};

enum {
    POLITE_AFTER_NS = 20000,   /* on a free CPU: yield between polls from here on ... */
    POLITE_WAITS = 64,         /* ... and the thread's next so many waits do so from their first look at the clock */
    YIELDS_BETWEEN_CLOCKS = 3, /* when oversubscribed: a yield takes a microsecond, a look at the clock a tenth of it */
    COLLECTING_NS = 5000,      /* spinning while the CPUs are contended and a collection is running */
    CONTENDED_NS = 20000,      /* spinning while the CPUs are contended and no collection is running */
    SLOW_YIELD_WAITS = 64,     /* after a yield of GHCOMP_AWAY_NS so many waits nap or park (leave) at once */
    FREQUENT_NS = 12000,       /* two iterations of less, on one CPU, are mostly switches, of 2 to 3 us each */
    EVERYWHERE_WAITS = 16,     /* so many on end find Haskell on all CPUs: more than one collection takes */
    HERE_NS = 50000,           /* spinning beside a neighbour on the thread's CPU ... */
    OTHER_NS = 6000000,        /* ... and while they are on other CPUs */
    NEW_NS = 5000,             /* spinning beside neighbours of a thread without a past, or of a free worker */
    HASKELL_NS = 20000,        /* how long what a waiter knows of Haskell holds for all waiters */
    COLLECTING_TICKS = 5 * GHCOMP_TICKS_PER_US, /* the same of collections */
    NEW_WAITS = 4,             /* a thread that has looked at the clock in so many waits has a past */
    LATE_NS = 125000,          /* a yield that takes that long for each thread on the CPU is late, and if it ends ... */
    LATE_WAITS = 128,          /* ... a TEAM wait, the thread parks at once in its next so many TEAM waits */
    UNRIPE_NS = 30000,         /* yielding when oversubscribed, beside tasks that are left to their makers */
    NAP_NS = 20000,            /* first nap of a POST wait ... */
    NAPS_TO_LONGEST = 6        /* ... which doubles this often */
};

static const uint64_t MICROSECOND = 1000;
static const uint64_t MILLISECOND = 1000000;

/* Nanoseconds of one pause, for GOMP_SPINCOUNT, whose unit is pauses. */
static uint64_t measure_pauses(uint64_t pauses)
{
    enum { SAMPLE = 200 };
    uint64_t best = UINT64_MAX;
    for (int attempt = 0; attempt < 5; attempt++) {
        uint64_t begin = ghcomp_os_now();
        for (int i = 0; i < SAMPLE; i++)
            ghcomp_cpu_pause();
        uint64_t took = ghcomp_os_now() - begin;
        if (took < best)
            best = took;
    }
    return pauses > UINT64_MAX / (best + 1) ? UINT64_MAX : pauses * best / SAMPLE;
}

static void set_budget(enum ghcomp_wait_kind kind, uint64_t free_ns, uint64_t oversubscribed_ns)
{
    ghcomp_foreign_store_relaxed(&ghcomp_wait.free_budget[kind], free_ns);
    ghcomp_foreign_store_relaxed(&ghcomp_wait.oversubscribed_budget[kind], oversubscribed_ns);
}

static void set_budgets(uint64_t free_ns, uint64_t oversubscribed_ns)
{
    /* A lock is held for less than a wake-up takes, or for long: spin for one wake-up. */
    uint64_t lock_ns = 50 * MICROSECOND;
    set_budget(GHCOMP_WAIT_TEAM, free_ns, oversubscribed_ns);
    set_budget(GHCOMP_WAIT_BARRIER, free_ns, oversubscribed_ns);
    set_budget(GHCOMP_WAIT_MAIL, free_ns, oversubscribed_ns);
    set_budget(GHCOMP_WAIT_TURN, free_ns, oversubscribed_ns);
    set_budget(GHCOMP_WAIT_SINK, free_ns, oversubscribed_ns);
    set_budget(GHCOMP_WAIT_POST, free_ns, oversubscribed_ns);
    set_budget(GHCOMP_WAIT_LOCK, free_ns < lock_ns ? free_ns : lock_ns,
               oversubscribed_ns < lock_ns ? oversubscribed_ns : lock_ns);
}

void ghcomp_wait_init(void)
{
    uint64_t free_ns = GHCOMP_FREE_NS, oversubscribed_ns = 200 * MICROSECOND;
    switch (ghcomp_global.wait_policy) {
    case GHCOMP_WAIT_ACTIVE:
        free_ns = UINT64_MAX;
        oversubscribed_ns = 10 * MILLISECOND;
        break;
    case GHCOMP_WAIT_PASSIVE:
        free_ns = oversubscribed_ns = 0;
        break;
    case GHCOMP_WAIT_UNSET:
        break;
    }
    if (ghcomp_global.spincount_set) {
        free_ns = measure_pauses(ghcomp_global.spincount);
        if (free_ns < oversubscribed_ns)
            oversubscribed_ns = free_ns;
    }
    ghcomp_wait.cpus = ghcomp_global.num_cpus;
    if (ghcomp_global.blocktime_set)
        ghcomp_wait_set_budget(ghcomp_global.blocktime);
    else
        set_budgets(free_ns, oversubscribed_ns);
}

void ghcomp_wait_set_budget(uint64_t free_ns)
{
    uint64_t most = free_ns == UINT64_MAX ? 10 * MILLISECOND : 200 * MICROSECOND;
    set_budgets(free_ns, free_ns < most ? free_ns : most);
}

/* The calling thread; NULL when the runtime does not know it yet. */
static inline struct ghcomp_thread *own_thread(void)
{
    struct ghcomp_member *self = ghcomp_self_member;
    return self != NULL ? self->thread : NULL;
}

/* Such a wait is for one certain thread, which hands over and then waits itself. */
static inline bool hands_over(uint8_t kind)
{
    return kind == GHCOMP_WAIT_TURN || kind == GHCOMP_WAIT_SINK || kind == GHCOMP_WAIT_POST;
}

static inline bool for_members(uint8_t kind)
{
    return kind == GHCOMP_WAIT_TEAM || kind == GHCOMP_WAIT_BARRIER;
}

/* Whether this wait is one of the `left` next ones of a thread whose waits turned polite or found yields slow. */
static inline bool from_the_start(uint32_t *left)
{
    if (*left == 0)
        return false;
    --*left;
    return true;
}

/* When a waiter looked at the Capabilities the last time (clock), and how many were busy; atomic(relaxed), hints. */
static struct {
    _Atomic uint64_t looked GHCOMP_ALIGNED_PAIR;
    _Atomic uint32_t busy;
} haskell;

/* Haskell writes to the Capabilities' lines all the time: a look costs more than a hand-over. */
static uint32_t busy_capabilities(uint64_t now)
{
    if (now - ghcomp_load_relaxed(&haskell.looked) >= HASKELL_NS) {
        ghcomp_store_relaxed(&haskell.looked, now);
        ghcomp_store_relaxed(&haskell.busy, ghcomp_cpu_account_haskell());
    }
    return ghcomp_load_relaxed(&haskell.busy);
}

/* Looks what else wants a CPU. True: the CPUs are contended. A thread of a region that is not awake yet wants one, too.
   Threads that are too many by themselves seldom look at the Capabilities, whose lines Haskell writes to. */
static bool look_for_contention(uint64_t now)
{
    struct ghcomp_cpu_account_counts counts = ghcomp_cpu_account_counts();
    uint32_t masters = counts.masters > 1 ? counts.masters : 1;
    uint32_t own = ghcomp_load_relaxed(&ghcomp_wait.awake) + masters;
    uint32_t in_regions = counts.threads < ghcomp_wait.cpus ? counts.threads : ghcomp_wait.cpus;
    own = own > in_regions ? own : in_regions;
    uint32_t busy = busy_capabilities(now);
    if (own > ghcomp_wait.cpus && busy < ghcomp_wait.cpus)
        busy = 0;
    if (ghcomp_load_relaxed(&ghcomp_wait.beside) != masters + busy)
        ghcomp_store_relaxed(&ghcomp_wait.beside, masters + busy);
    bool contended = busy > 0 && own + busy > ghcomp_wait.cpus && ghcomp_global.wait_policy != GHCOMP_WAIT_ACTIVE;
    if (ghcomp_load_relaxed(&ghcomp_wait.cpu_contended) != contended)
        ghcomp_store_relaxed(&ghcomp_wait.cpu_contended, contended);
    return contended;
}

/* Whether the thread waits for tasks, and there are some that it leaves to their makers (task_take.c). One member of
   its team watches these, and others need not. */
static bool beside_unripe(void)
{
    struct ghcomp_member *self = ghcomp_self_member;
    return self != NULL && self->unripe && !self->searching;
}

/* Whether the user has said nothing about how to wait. */
static inline bool as_we_like(void)
{
    return ghcomp_global.wait_policy == GHCOMP_WAIT_UNSET && !ghcomp_global.spincount_set &&
           !ghcomp_global.blocktime_set;
}

/* Whether several masters' regions run at the same time, which nobody has counted (masters.c). */
static inline bool several_masters(void)
{
    return ghcomp_load_relaxed(&ghcomp_wait.beside) > 1 && !ghcomp_load_relaxed(&ghcomp_cpu_account_shared);
}

/* Whether such a wait of the calling thread, which the runtime knows, may come back late. */
static inline bool may_be_late(uint8_t kind)
{
    if (!as_we_like())
        return false;
    if (kind == GHCOMP_WAIT_MAIL)
        return several_masters();
    return for_members(kind) && !ghcomp_load_relaxed(&ghcomp_self_member->team->tasked);
}

/* Whether such a wait of the calling thread sleeps at once, because yields come back late among several masters. Teams
   that are larger than the machine hand over by yields. */
static bool sleeps_among_masters(uint8_t kind, const struct ghcomp_thread *thread, uint64_t now)
{
    return several_masters() && kind != GHCOMP_WAIT_BARRIER && !thread->wait.large_team && ghcomp_masters_sleep(now) &&
           may_be_late(kind);
}

/* Whether threads are too many. Among several masters a thread that waits for its team counts it, awake or not. */
static bool too_many(uint8_t kind, const struct ghcomp_thread *thread)
{
    return ghcomp_wait_oversubscribed() ||
           (for_members(kind) && thread != NULL && several_masters() &&
            ghcomp_load_relaxed(&ghcomp_wait.beside) + ghcomp_self_member->team->size - 1 > ghcomp_wait.cpus);
}

/* How long a yield takes when it comes back late. It goes round all threads on the CPU, so where several share it a
   longer one says nothing of pollers. */
static uint64_t late_after(void)
{
    uint32_t each = (ghcomp_wait_threads() + ghcomp_wait.cpus - 1) / ghcomp_wait.cpus;
    return (uint64_t)LATE_NS * (each > 2 ? each : 2);
}

/* The waiting thread was not on a CPU for GHCOMP_AWAY_NS. */
static void was_away(const struct ghcomp_spin *spin, struct ghcomp_thread *thread, bool oversubscribed, uint64_t now)
{
    ghcomp_neighbours_away(thread, now, oversubscribed);
    bool at_barrier = spin->kind == GHCOMP_WAIT_BARRIER && ghcomp_load_relaxed(&ghcomp_wait.cpu_contended);
    if (oversubscribed && (hands_over(spin->kind) || at_barrier))
        thread->wait.slow_yields = SLOW_YIELD_WAITS;
}

static uint64_t budget_beside(const struct ghcomp_thread *thread, enum ghcomp_neighbourhood neighbours, uint8_t kind,
                              bool large)
{
    if (large)
        return 0;
    if (thread->wait.looked < NEW_WAITS || (kind == GHCOMP_WAIT_MAIL && ghcomp_load_relaxed(&thread->free)))
        return NEW_NS;
    bool crowd = ghcomp_load_relaxed(&ghcomp_neighbours.crowd);
    if (neighbours == GHCOMP_NEIGHBOURS_OTHER && kind != GHCOMP_WAIT_LOCK && !crowd)
        return OTHER_NS;
    return HERE_NS;
}

static uint64_t budget_contended(const struct ghcomp_thread *thread, uint64_t now)
{
    if (thread != NULL && (now < thread->wait.shares_until || thread->wait.large_team))
        return 0;
    return ghcomp_capabilities_collecting_lately(ghcomp_cpu_ticks(), COLLECTING_TICKS) ? COLLECTING_NS : CONTENDED_NS;
}

/* Whether a thread yields its CPU, though the CPUs are contended, to the team-mate that it shares it with. */
static bool takes_turns(const struct ghcomp_spin *spin, const struct ghcomp_thread *thread, uint64_t now)
{
    bool again_and_again = hands_over(spin->kind) || spin->kind == GHCOMP_WAIT_BARRIER;
    return again_and_again && thread != NULL && !thread->wait.large_team && now < thread->wait.shares_until &&
           ghcomp_load_relaxed(&haskell.busy) < ghcomp_wait.cpus;
}

static void count(enum ghcomp_counter counter)
{
    struct ghcomp_thread *thread = own_thread();
    if (thread != NULL)
        ghcomp_count_in(&thread->counts, counter, 1);
    if (counter == GHCOMP_COUNT_YIELDS)
        ghcomp_trace_moment(ghcomp_observers_now(), GHCOMP_TRACE_YIELD, 1);
}

/* A thread that waits for turns or posts while the CPUs are contended: where it shares its CPU with the thread that it
   hands over to, it may leave that. `alone`: it doesn't share it any more. Where two are to stay on one CPU, one that
   finds itself alone for a moment goes on to yield: if it slept, the kernel would wake it on Haskell's CPU. */
static void keep_apart(struct ghcomp_thread *thread, bool alone, uint64_t now)
{
    struct ghcomp_thread_waits *wait = &thread->wait;
    bool frequent = now - wait->handed_over < FREQUENT_NS;
    wait->handed_over = now;
    if (ghcomp_load_relaxed(&haskell.busy) < ghcomp_wait.cpus)
        wait->everywhere = 0;
    else if (wait->everywhere < EVERYWHERE_WAITS)
        wait->everywhere++;
    if (!frequent && wait->everywhere < EVERYWHERE_WAITS)
        return;
    if (alone)
        wait->shares_until = 0;
    else if (now < wait->shares_until && !wait->large_team)
        ghcomp_neighbours_part(thread, now);
}

/* The wait's first look at the clock. */
static void begin(struct ghcomp_spin *spin, struct ghcomp_thread *thread, bool oversubscribed, bool contended,
                  uint64_t now)
{
    spin->begin = now;
    if (thread == NULL)
        return;
    if (thread->wait.looked < NEW_WAITS)
        thread->wait.looked++;
    if (thread->number == 0 && !ghcomp_load_relaxed(&ghcomp_cpu_account_shared)) {
        uint32_t masters = ghcomp_masters_count(thread, now);
        if (ghcomp_load_relaxed(&ghcomp_wait.beside) != masters)
            ghcomp_store_relaxed(&ghcomp_wait.beside, masters);
    }
    bool alone = ghcomp_neighbours_look(thread, now);
    /* Outside of its regions, where it waits for mail and locks, a worker's team may be changing: team.c says it. */
    if (for_members(spin->kind) || hands_over(spin->kind))
        thread->wait.large_team = ghcomp_self_member->team->size > ghcomp_wait.cpus;
    if (contended && hands_over(spin->kind))
        keep_apart(thread, alone, now);
    spin->polite = from_the_start(&thread->wait.polite);
    bool by_yields = contended ? takes_turns(spin, thread, now) : oversubscribed && hands_over(spin->kind);
    spin->naps = by_yields && from_the_start(&thread->wait.slow_yields);
    if (thread->wait.late_yields == LATE_WAITS && several_masters()) {
        thread->wait.late_yields--;
        ghcomp_masters_late(now);
    }
    if (oversubscribed && thread->wait.late_yields != 0 && may_be_late(spin->kind))
        spin->naps = from_the_start(&thread->wait.late_yields);
    if (oversubscribed && sleeps_among_masters(spin->kind, thread, now))
        spin->naps = true;
}

/* With more threads than CPUs what is waited for has often come in the slice that the yield has cost: then this is the
   last look of the wait. */
static void yield_and_look(struct ghcomp_spin *spin, struct ghcomp_thread *thread)
{
    ghcomp_os_yield();
    if (thread == NULL)
        return;
    uint64_t now = ghcomp_os_now();
    if (now - spin->looked >= GHCOMP_AWAY_NS)
        was_away(spin, thread, true, now);
    if (now - spin->looked >= LATE_NS && now - spin->looked >= late_after() && may_be_late(spin->kind)) {
        spin->late = true;
        thread->wait.late_yields = LATE_WAITS;
    }
    spin->looked = now;
}

/* The budget is used up. */
static bool leave(struct ghcomp_spin *spin, struct ghcomp_thread *thread, bool oversubscribed, bool contended)
{
    spin->looked = 0; /* until the next look the thread sleeps or naps, and is away because it wants to be */
    /* A turn that comes so late goes round many threads, whose yields get in each other's way. */
    if (spin->kind == GHCOMP_WAIT_TURN && oversubscribed && !spin->naps && thread != NULL)
        thread->wait.slow_yields = SLOW_YIELD_WAITS;
    if (spin->kind != GHCOMP_WAIT_POST && (spin->kind != GHCOMP_WAIT_SINK || contended))
        return false;
    ghcomp_os_nap(NAP_NS << spin->napped);
    if (spin->napped < NAPS_TO_LONGEST)
        spin->napped++;
    return true;
}

bool ghcomp_spin_slow(struct ghcomp_spin *spin)
{
    struct ghcomp_thread *thread = own_thread();
    if (spin->late) { /* the wait was not over */
        spin->late = false;
        thread->wait.late_yields = 0;
    }
    if (spin->yields > 0) {
        spin->yields--;
        yield_and_look(spin, thread);
        return true;
    }
    uint64_t now = ghcomp_os_now();
    bool contended = ghcomp_load_relaxed(&ghcomp_cpu_account_shared) && look_for_contention(now);
    bool oversubscribed = too_many(spin->kind, thread);
    if (spin->begin == 0)
        begin(spin, thread, oversubscribed, contended, now);
    else if (spin->looked != 0 && now - spin->looked >= GHCOMP_AWAY_NS && thread != NULL)
        was_away(spin, thread, oversubscribed, now);
    spin->looked = now;
    enum ghcomp_neighbourhood neighbours =
        contended || thread == NULL ? GHCOMP_NEIGHBOURS_NONE : ghcomp_neighbours_at(thread, now);
    uint64_t budget = ghcomp_foreign_load_relaxed(oversubscribed ? &ghcomp_wait.oversubscribed_budget[spin->kind]
                                                                 : &ghcomp_wait.free_budget[spin->kind]);
    bool turns = contended && !spin->naps && takes_turns(spin, thread, now);
    if (contended) {
        uint64_t most = turns ? ghcomp_foreign_load_relaxed(&ghcomp_wait.oversubscribed_budget[spin->kind])
                              : budget_contended(thread, now);
        budget = budget < most ? budget : most;
    } else if (neighbours != GHCOMP_NEIGHBOURS_NONE) {
        budget = budget_beside(thread, neighbours, spin->kind, oversubscribed || thread->wait.large_team);
    }
    if (oversubscribed && for_members(spin->kind) && beside_unripe() && budget > UNRIPE_NS)
        budget = UNRIPE_NS;
    uint64_t waited = now - spin->begin;
    if (waited >= budget || spin->naps) {
        if (contended)
            count(GHCOMP_COUNT_YIELDS);
        return leave(spin, thread, oversubscribed, contended);
    }
    if (!oversubscribed && !contended && !spin->polite && waited >= POLITE_AFTER_NS) {
        spin->polite = true;
        if (thread != NULL)
            thread->wait.polite = POLITE_WAITS;
    }
    bool at_once = oversubscribed || ghcomp_load_relaxed(&ghcomp_wait.cpu_shared);
    bool polite = spin->polite && neighbours == GHCOMP_NEIGHBOURS_NONE;
    if (contended ? turns : at_once || polite) {
        if (oversubscribed || turns)
            yield_and_look(spin, thread);
        else
            ghcomp_os_yield();
        spin->yields = oversubscribed && !turns && !hands_over(spin->kind) ? YIELDS_BETWEEN_CLOCKS : 0;
    } else {
        spin->left = GHCOMP_PAUSES_BETWEEN_CLOCKS;
    }
    return true;
}

void ghcomp_wait_fork_child(void)
{
    ghcomp_store_relaxed(&ghcomp_wait.awake, 0u);
    ghcomp_store_relaxed(&ghcomp_wait.inside, 0u);
    ghcomp_store_relaxed(&ghcomp_wait.beside, 1u);
    ghcomp_store_relaxed(&ghcomp_wait.cpu_contended, false);
    ghcomp_store_relaxed(&haskell.busy, 0u);
    ghcomp_masters_fork_child();
    ghcomp_neighbours_fork_child();
}

void ghcomp_wait_park(_Atomic uint32_t *word, uint32_t value)
{
    ghcomp_wait_park_class(word, value, UINT32_MAX);
}

void ghcomp_wait_worker_leaves(void)
{
    if (ghcomp_sub_seqcst(&ghcomp_wait.awake, 1u) == 1)
        ghcomp_cpu_account_workers_sleep();
}

/* What a sleep needs at its end from its beginning. */
struct parked {
    uint32_t traced;
    bool worker;
};

static inline struct parked begin_park(void)
{
    struct parked parked = {.traced = ghcomp_trace_begin(ghcomp_observers_now(), GHCOMP_TRACE_PARK)};
    struct ghcomp_thread *thread = own_thread();
    parked.worker = thread != NULL && thread->number != 0;
    count(GHCOMP_COUNT_PARKS);
    if (parked.worker)
        ghcomp_wait_worker_leaves();
    return parked;
}

static inline void end_park(struct parked parked)
{
    if (parked.worker)
        ghcomp_add_relaxed(&ghcomp_wait.awake, 1u);
    ghcomp_trace_end(GHCOMP_TRACE_PARK, parked.traced);
}

void ghcomp_wait_park_class(_Atomic uint32_t *word, uint32_t value, uint32_t classes)
{
    struct parked parked = begin_park();
    ghcomp_os_sleep_class(word, value, classes);
    end_park(parked);
}

void ghcomp_wait_park_for(_Atomic uint32_t *word, uint32_t value, uint32_t nanoseconds)
{
    struct parked parked = begin_park();
    ghcomp_os_sleep_for(word, value, nanoseconds);
    end_park(parked);
}

uint32_t ghcomp_wait_change(_Atomic uint32_t *word, uint32_t seen, enum ghcomp_wait_kind kind, bool *slept)
{
    struct ghcomp_spin spin = ghcomp_spin_start(kind);
    uint32_t value;
    *slept = false;
    while (((value = ghcomp_load_acquire(word)) & ~1u) == seen) {
        if (ghcomp_spin_again(&spin))
            continue;
        if (value == seen && !ghcomp_cas_acqrel(word, &value, seen | 1u))
            continue;
        ghcomp_wait_park(word, seen | 1u);
        *slept = true;
    }
    return value & ~1u;
}
