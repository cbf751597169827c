/* How a thread waits: gathers the facts and carries out the plan. Called by everything that waits for another thread.
 * Covered by test/unit/{wait,late_yields,masters,parting}.c and, under load, by test/unit/team.c.
 */
#include "core/cpu/wait.h"

#include "core/cpu/cpu_account.h"
#include "core/cpu/masters.h"
#include "core/cpu/neighbours.h"
#include "core/state/types.h"
#include "core/trace/trace.h"

enum {
    POLITE_WAITS = 64,         /* after a long wait so many are polite from the start */
    SLOW_YIELD_WAITS = 64,     /* after a yield of GHCOMP_AWAY_NS so many nap or park at once */
    FREQUENT_NS = 12000,       /* in iterations shorter than this two threads on one CPU mostly switch (2 to 3 us
                                  each) */
    SWITCHES_NS = 6000,        /* two threads on one CPU whose waits begin sooner than that do little but switch */
    EVERYWHERE_WAITS = 16,     /* number of waits in a row that find Haskell on all CPUs: more than in one collection */
    HASKELL_NS = 20000,        /* how long a waiter's measurement of Haskell holds for all waiters */
    COLLECTING_TICKS = 5 * GHCOMP_TICKS_PER_US, /* the same of collections */
    NEW_WAITS = 4,             /* a thread is not new once it has read the clock in so many waits */
    SHORT_TICKS = 40 * GHCOMP_TICKS_PER_US, /* a yield of fewer ticks shows nothing, and the clock is not read after
                                               it */
    LATE_NS = 125000,          /* a yield that takes that long for each thread on the CPU is late, and if it ends ... */
    LATE_WAITS = 128,          /* ... such a wait (may_be_late), the thread parks at once in its next so many */
    KIND_SHIFT = 16,           /* of ghcomp_spin.own: facts have fewer bits */
    VERSION_SHIFT = 32
};
_Static_assert(GHCOMP_FACT_RETRY < 1 << KIND_SHIFT && GHCOMP_WAIT_KINDS <= 1 << (VERSION_SHIFT - KIND_SHIFT),
               "facts, kind and version have bits of their own");

void ghcomp_wait_init(void)
{
    ghcomp_cpu_load.cpus = ghcomp_global.num_cpus;
    ghcomp_wait_settings_init();
}

/* The calling thread; NULL before its first call of the runtime. */
static inline struct ghcomp_thread *own_thread(void)
{
    struct ghcomp_member *self = ghcomp_self_member;
    return self != NULL ? self->thread : NULL;
}

/* Counts this wait off `left`, the number of the thread's next waits that are polite, or avoid yields, from the start.
   False: none is left. */
static inline bool from_the_start(uint32_t *left)
{
    if (*left == 0)
        return false;
    --*left;
    return true;
}

/* When a waiter last read the Capabilities, and how many were busy; atomic(relaxed), hints. */
static struct {
    _Atomic uint64_t looked GHCOMP_ALIGNED_PAIR;
    _Atomic uint32_t busy;
} haskell;

/* The number of busy Capabilities, read once in HASKELL_NS: Haskell writes to their lines all the time, so reading them
   costs more than a hand-over. */
static uint32_t busy_capabilities(uint64_t now)
{
    if (now - ghcomp_load_relaxed(&haskell.looked) >= HASKELL_NS) {
        ghcomp_store_relaxed(&haskell.looked, now);
        ghcomp_store_relaxed(&haskell.busy, ghcomp_cpu_account_haskell());
    }
    return ghcomp_load_relaxed(&haskell.busy);
}

/* Measures what else wants a CPU. True: the CPUs are contended. Each thread of a region counts, awake or not: one that
   is to run on the waiter's CPU is awake only when the waiter leaves it. If the threads alone are more than the CPUs,
   Capabilities count only when they are busy on all CPUs. */
static bool look_for_contention(uint64_t now)
{
    struct ghcomp_cpu_account_counts counts = ghcomp_cpu_account_counts();
    uint32_t masters = counts.masters > 1 ? counts.masters : 1;
    uint32_t own = ghcomp_load_relaxed(&ghcomp_cpu_load.awake) + masters;
    uint32_t in_regions = counts.threads < ghcomp_cpu_load.cpus ? counts.threads : ghcomp_cpu_load.cpus;
    own = own > in_regions ? own : in_regions;
    uint32_t busy = busy_capabilities(now);
    if (own > ghcomp_cpu_load.cpus && busy < ghcomp_cpu_load.cpus)
        busy = 0;
    if (ghcomp_load_relaxed(&ghcomp_cpu_load.beside) != masters + busy)
        ghcomp_store_relaxed(&ghcomp_cpu_load.beside, masters + busy);
    bool contended = busy > 0 && own + busy > ghcomp_cpu_load.cpus && ghcomp_global.wait_policy != GHCOMP_POLICY_ACTIVE;
    if (ghcomp_load_relaxed(&ghcomp_cpu_load.contended) != contended)
        ghcomp_store_relaxed(&ghcomp_cpu_load.contended, contended);
    return contended;
}

/* Whether the thread waits for tasks, and there are some that it leaves to their makers (task_take.c). One member of
   its team watches these; the others need not. */
static bool beside_unripe(void)
{
    struct ghcomp_member *self = ghcomp_self_member;
    return self != NULL && self->unripe && !self->searching;
}

/* Whether several masters' regions run at the same time, in a process without an account of them (masters.c). */
static inline bool several_masters(void)
{
    return ghcomp_load_relaxed(&ghcomp_cpu_load.beside) > 1 && !ghcomp_load_relaxed(&ghcomp_cpu_account_shared);
}

/* Whether a yield in such a wait of the calling thread, which the runtime knows, may return late. */
static inline bool may_be_late(uint8_t kind)
{
    if (!ghcomp_wait_policy_is_default())
        return false;
    if (kind == GHCOMP_WAIT_MAIL)
        return several_masters();
    return ghcomp_wait_for_members(kind) && !ghcomp_load_relaxed(&ghcomp_self_member->team->tasked);
}

/* Whether such a wait of the calling thread sleeps at once, because yields return late among several masters. Teams
   that are larger than the machine hand over by yields. */
static bool sleeps_among_masters(uint8_t kind, const struct ghcomp_thread *thread, uint64_t now)
{
    return several_masters() && kind != GHCOMP_WAIT_BARRIER && !thread->wait.large_team && ghcomp_masters_sleep(now) &&
           may_be_late(kind);
}

/* Whether the process's threads that want a CPU are more than its CPUs: workers that are not asleep, and masters. Among
   several masters a thread that waits for its team counts all its members, awake or asleep. The count changes only when
   a worker goes to sleep or is woken, so it costs a region nothing. */
static bool too_many(uint8_t kind, const struct ghcomp_thread *thread)
{
    return ghcomp_cpu_load_oversubscribed() ||
           (ghcomp_wait_for_members(kind) && thread != NULL && several_masters() &&
            ghcomp_load_relaxed(&ghcomp_cpu_load.beside) + ghcomp_self_member->team->size - 1 > ghcomp_cpu_load.cpus);
}

/* The length from which a yield is *late*. Each of the other threads on the CPU may run before the yield returns, so
   the more threads share a CPU, the longer a normal yield takes.

   Members may poll a variable of the program's, and the one that is to set it yields in a barrier that has ended. To
   the kernel the pollers compute, so the yield returns when they have used up a slice. So a thread whose yield was late
   in a TEAM or BARRIER wait, and that then found the wait over, parks at once in its next LATE_WAITS such waits. A miss
   after the yield shows that the wait was not over, and cancels this. Waits in regions with tasks are exempt: their
   threads yield to mates that run tasks. Among several masters a late return is recorded for all threads: masters.c. */
static uint64_t late_after(void)
{
    uint32_t each = (ghcomp_cpu_load_threads() + ghcomp_cpu_load.cpus - 1) / ghcomp_cpu_load.cpus;
    return (uint64_t)LATE_NS * (each > 2 ? each : 2);
}

/* Records that the waiting thread was off its CPU for GHCOMP_AWAY_NS. */
static void was_away(const struct ghcomp_spin *spin, struct ghcomp_thread *thread, bool oversubscribed, uint64_t now)
{
    ghcomp_neighbours_away(thread, now, oversubscribed);
    bool at_barrier = spin->kind == GHCOMP_WAIT_BARRIER && ghcomp_load_relaxed(&ghcomp_cpu_load.contended);
    if (oversubscribed && (ghcomp_wait_hands_over(spin->kind) || at_barrier))
        thread->wait.slow_yields = SLOW_YIELD_WAITS;
}

static inline uint32_t fact_if(bool holds, enum ghcomp_wait_fact fact)
{
    return holds ? (uint32_t)fact : 0;
}

/* The facts of a thread that waits while the CPUs are contended. */
static uint32_t facts_of_haskell(const struct ghcomp_thread *thread, uint64_t now)
{
    uint32_t facts = GHCOMP_FACT_CONTENDED;
    if (ghcomp_load_relaxed(&haskell.busy) >= ghcomp_cpu_load.cpus)
        facts |= GHCOMP_FACT_EVERYWHERE;
    if (thread != NULL && now < thread->wait.shares_until)
        facts |= GHCOMP_FACT_SHARES;
    if (thread != NULL && thread->wait.large_team)
        facts |= GHCOMP_FACT_LARGE_TEAM;
    return facts;
}

/* Reads whether a collection is running, which costs a microsecond, if the fact may matter. */
static uint32_t fact_of_collection(uint32_t facts)
{
    return !(facts & (GHCOMP_FACT_SHARES | GHCOMP_FACT_LARGE_TEAM)) &&
                   ghcomp_capabilities_collecting_lately(ghcomp_cpu_ticks(), COLLECTING_TICKS)
               ? GHCOMP_FACT_COLLECTING
               : 0;
}

static uint32_t facts_of_neighbours(const struct ghcomp_thread *thread, uint64_t now)
{
    enum ghcomp_neighbourhood where = ghcomp_neighbours_at(thread, now);
    if (ghcomp_likely(where == GHCOMP_NEIGHBOURS_NONE))
        return 0;
    return GHCOMP_FACT_NEIGHBOURS | fact_if(where == GHCOMP_NEIGHBOURS_HERE, GHCOMP_FACT_NEIGHBOUR_HERE) |
           fact_if(ghcomp_load_relaxed(&ghcomp_neighbours.crowd), GHCOMP_FACT_CROWD) |
           fact_if(ghcomp_load_relaxed(&thread->free), GHCOMP_FACT_FREE_WORKER);
}

/* All facts but the wait's own. */
static inline uint32_t facts_now(const struct ghcomp_spin *spin, const struct ghcomp_thread *thread,
                                 bool oversubscribed, bool contended, uint64_t now)
{
    uint32_t facts = fact_if(ghcomp_load_relaxed(&ghcomp_cpu_load.shared), GHCOMP_FACT_CPU_SHARED) |
                     fact_if(oversubscribed, GHCOMP_FACT_OVERSUBSCRIBED);
    if (oversubscribed && ghcomp_wait_for_members(spin->kind) && beside_unripe())
        facts |= GHCOMP_FACT_UNRIPE;
    if (contended) {
        facts |= facts_of_haskell(thread, now);
        return facts | fact_of_collection(facts);
    }
    uint32_t beside = thread != NULL ? facts_of_neighbours(thread, now) : 0;
    /* Otherwise no rule reads it, and a team that changes its size would have its plans made anew. */
    return facts | beside | fact_if(beside != 0 && thread->wait.large_team, GHCOMP_FACT_LARGE_TEAM);
}

/* Whether a thread yields its CPU, though the CPUs are contended, to the team-mate that it shares it with. */
static bool takes_turns(const struct ghcomp_spin *spin, const struct ghcomp_thread *thread, uint64_t now)
{
    static const struct ghcomp_wait_limits none = {UINT64_MAX, UINT64_MAX};
    return ghcomp_wait_plan(spin->kind, facts_of_haskell(thread, now), &none, 0).action == GHCOMP_ACT_HAND_OVER;
}

static void count_yield(struct ghcomp_thread *thread)
{
    if (thread != NULL)
        ghcomp_count_in(&thread->counts, GHCOMP_COUNT_YIELDS, 1);
    ghcomp_trace_moment(ghcomp_observers_now(), GHCOMP_TRACE_YIELD, 1);
}

/* For a thread that waits for turns or posts while the CPUs are contended: may move it, if it shares its CPU with the
   thread that it hands over to. `alone`: it no longer shares it. Two threads on one CPU that hand over at each
   iteration pay a switch for each. If the switches take as long as the iterations, that is, if the worker waits again
   after FREQUENT_NS, it competes with Haskell on another CPU instead. If EVERYWHERE_WAITS waits in a row find Haskell
   on all CPUs, the move costs Haskell nothing, and the worker moves in any case. If it need not move, a thread that is
   alone for a moment continues to yield: if it slept, the kernel would wake it on Haskell's CPU. */
static void keep_apart(struct ghcomp_thread *thread, bool alone, uint64_t now)
{
    struct ghcomp_thread_waits *wait = &thread->wait;
    bool frequent = now - wait->handed_over < FREQUENT_NS;
    wait->handed_over = now;
    if (ghcomp_load_relaxed(&haskell.busy) < ghcomp_cpu_load.cpus)
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

/* Whether members that hand over to each other retry without sleeps, and so forget neighbours and what yields cost:
   these would keep a team that is larger than the machine asleep when their reasons are gone. All retry at the same
   time, because as long as some sleep, the wake-ups make the waits of the others exceed their limits. False where the
   user has set how to wait. */
static inline bool tries_again(enum ghcomp_wait_kind kind, uint64_t now)
{
    return now % GHCOMP_PLAN_RETRY_EVERY_NS < GHCOMP_PLAN_RETRY_NS && ghcomp_wait_policy_is_default() &&
           ghcomp_wait_limits(kind).oversubscribed != 0;
}

/* Called when the wait reads the clock for the first time: finds the facts that hold for the whole wait. */
static void begin(struct ghcomp_spin *spin, struct ghcomp_thread *thread, bool oversubscribed, bool contended,
                  uint64_t now)
{
    spin->begin = now;
    spin->own |= ghcomp_wait_settings_version() << VERSION_SHIFT | (uint64_t)spin->kind << KIND_SHIFT;
    if (thread == NULL)
        return;
    if (thread->wait.looked < NEW_WAITS && ++thread->wait.looked < NEW_WAITS)
        spin->own |= GHCOMP_FACT_NEW;
    if (thread->number == 0 && !ghcomp_load_relaxed(&ghcomp_cpu_account_shared)) {
        uint32_t masters = ghcomp_masters_count(thread, now);
        if (ghcomp_load_relaxed(&ghcomp_cpu_load.beside) != masters)
            ghcomp_store_relaxed(&ghcomp_cpu_load.beside, masters);
    }
    bool switches = now - thread->clocks.began < SWITCHES_NS;
    thread->clocks.began = now;
    bool alone = ghcomp_neighbours_look(thread, now, switches);
    /* Outside of its regions, where it waits for mail and locks, a worker's team may be changing: team.c sets the
       fact. */
    if (ghcomp_wait_for_members(spin->kind) || ghcomp_wait_hands_over(spin->kind))
        thread->wait.large_team = ghcomp_self_member->team->size > ghcomp_cpu_load.cpus;
    if (contended && ghcomp_wait_hands_over(spin->kind))
        keep_apart(thread, alone, now);
    if (from_the_start(&thread->wait.polite))
        spin->own |= GHCOMP_FACT_POLITE;
    bool by_yields = contended ? takes_turns(spin, thread, now) : oversubscribed && ghcomp_wait_hands_over(spin->kind);
    if (thread->wait.large_team && ghcomp_wait_hands_over(spin->kind) && !contended && tries_again(spin->kind, now)) {
        spin->own |= GHCOMP_FACT_RETRY;
        thread->wait.slow_yields = 0;
        ghcomp_neighbours_forget(thread, now);
    }
    bool yields_cost = by_yields && from_the_start(&thread->wait.slow_yields);
    if (thread->wait.late_yields == LATE_WAITS && several_masters()) {
        thread->wait.late_yields--;
        ghcomp_masters_late(now);
    }
    if (oversubscribed && thread->wait.late_yields != 0 && may_be_late(spin->kind))
        yields_cost = from_the_start(&thread->wait.late_yields);
    if (yields_cost || (oversubscribed && sleeps_among_masters(spin->kind, thread, now)))
        spin->own |= GHCOMP_FACT_YIELDS_COST;
}

/* Evaluates a yield that was not short. The time since the last clock reading includes at most GHCOMP_PLAN_YIELDS short
   yields. */
static __attribute__((noinline)) void look_after_yield(struct ghcomp_spin *spin, struct ghcomp_thread *thread)
{
    uint64_t now = ghcomp_os_now();
    if (now - spin->looked >= GHCOMP_AWAY_NS)
        was_away(spin, thread, true, now);
    if (now - spin->looked >= LATE_NS && now - spin->looked >= late_after() && may_be_late(spin->kind)) {
        spin->late = true;
        thread->wait.late_yields = LATE_WAITS;
    }
    spin->looked = now;
}

/* Yields, and evaluates the yield unless it was short. After a short yield the clock is not read: with more threads
   than CPUs the condition is often true by then. */
static inline void yield_and_look(struct ghcomp_spin *spin, struct ghcomp_thread *thread)
{
    uint64_t before = ghcomp_cpu_ticks();
    ghcomp_os_yield();
    if (ghcomp_unlikely(ghcomp_cpu_ticks() - before >= SHORT_TICKS) && thread != NULL)
        look_after_yield(spin, thread);
}

/* Ends the polling: naps (true: the wait goes on), or returns false, for the caller to park. */
static inline bool leave(struct ghcomp_spin *spin, struct ghcomp_thread *thread, uint32_t facts, bool will_nap)
{
    spin->looked = 0; /* the thread now sleeps or naps, so its absence until the next clock reading proves nothing */
    if (facts & GHCOMP_FACT_CONTENDED)
        count_yield(thread);
    /* A turn that comes so late passes through many threads, whose yields delay each other. */
    if (spin->kind == GHCOMP_WAIT_TURN && (facts & GHCOMP_FACT_OVERSUBSCRIBED) &&
        !(spin->own & GHCOMP_FACT_YIELDS_COST) && thread != NULL)
        thread->wait.slow_yields = SLOW_YIELD_WAITS;
    if (!will_nap)
        return false;
    ghcomp_os_nap(ghcomp_wait_nap(spin->napped));
    if (spin->napped < GHCOMP_PLAN_NAPS_TO_LONGEST)
        spin->napped++;
    return true;
}

/* Carries out the plan's action. */
static inline bool act(struct ghcomp_spin *spin, struct ghcomp_thread *thread, uint32_t facts,
                       uint8_t action, uint8_t yields)
{
    if (action == GHCOMP_ACT_SPIN) {
        spin->left = GHCOMP_PAUSES_BETWEEN_CLOCKS;
        return true;
    }
    if (action >= GHCOMP_ACT_PARK)
        return leave(spin, thread, facts, action == GHCOMP_ACT_NAP);
    spin->yields = yields;
    if (action == GHCOMP_ACT_HAND_OVER)
        yield_and_look(spin, thread);
    else
        ghcomp_os_yield();
    return true;
}

/* Called when the thread has waited for longer than a hand-over takes on a free CPU: makes its next waits yield
   sooner. */
static void turn_polite(struct ghcomp_spin *spin, struct ghcomp_thread *thread)
{
    spin->own |= GHCOMP_FACT_POLITE;
    if (thread != NULL)
        thread->wait.polite = POLITE_WAITS;
}

static __attribute__((noinline)) struct ghcomp_wait_step plan(enum ghcomp_wait_kind kind, uint32_t facts,
                                                              uint64_t waited)
{
    struct ghcomp_wait_limits limits = ghcomp_wait_limits(kind);
    return ghcomp_wait_plan(kind, facts, &limits, waited);
}

static __attribute__((noinline)) void plan_anew(struct ghcomp_thread_plan *last, enum ghcomp_wait_kind kind,
                                                uint64_t made_for, uint64_t waited)
{
    struct ghcomp_wait_step step = plan(kind, (uint32_t)made_for & ((1u << KIND_SHIFT) - 1), waited);
    *last = (struct ghcomp_thread_plan){made_for, step.from, step.until, step.action, step.yields};
}

/* Called when the wait was not over after its last yield: if that returned late, it proves nothing. */
static inline void not_over(struct ghcomp_spin *spin, struct ghcomp_thread *thread)
{
    if (spin->late) {
        spin->late = false;
        thread->wait.late_yields = 0;
    }
}

static __attribute__((noinline)) bool look_and_act(struct ghcomp_spin *spin)
{
    struct ghcomp_thread *thread = own_thread();
    not_over(spin, thread);
    uint64_t now = ghcomp_os_now();
    bool contended = ghcomp_load_relaxed(&ghcomp_cpu_account_shared) && look_for_contention(now);
    bool oversubscribed = too_many(spin->kind, thread);
    if (spin->begin == 0)
        begin(spin, thread, oversubscribed, contended, now);
    else if (spin->looked != 0 && now - spin->looked >= GHCOMP_AWAY_NS && thread != NULL)
        was_away(spin, thread, oversubscribed, now);
    spin->looked = now;
    uint64_t waited = now - spin->begin;
    if (waited >= GHCOMP_PLAN_POLITE_NS && !oversubscribed && !contended && !(spin->own & GHCOMP_FACT_POLITE))
        turn_polite(spin, thread);
    uint32_t facts = facts_now(spin, thread, oversubscribed, contended, now);
    uint64_t all = facts | spin->own;
    if (ghcomp_unlikely(thread == NULL)) {
        struct ghcomp_wait_step step = plan(spin->kind, facts | (uint16_t)spin->own, waited);
        return act(spin, thread, facts, step.action, step.yields);
    }
    /* Usually the thread's last plan still holds: facts, kind, limits and range of time are the same. */
    struct ghcomp_thread_plan *last = &thread->plan;
    if (ghcomp_unlikely(all != last->made_for || waited - last->from >= last->until - last->from))
        plan_anew(last, spin->kind, all, waited);
    return act(spin, thread, facts, last->action, last->yields);
}

bool ghcomp_spin_slow(struct ghcomp_spin *spin)
{
    if (spin->yields == 0)
        return look_and_act(spin);
    struct ghcomp_thread *thread = own_thread();
    not_over(spin, thread);
    spin->yields--;
    yield_and_look(spin, thread);
    return true;
}

void ghcomp_wait_fork_child(void)
{
    ghcomp_cpu_load_fork_child();
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
    if (ghcomp_sub_seqcst(&ghcomp_cpu_load.awake, 1u) == 1)
        ghcomp_cpu_account_workers_sleep();
}

/* What the end of a park needs from its beginning. */
struct parked {
    uint32_t traced;
    bool worker;
};

static inline struct parked begin_park(void)
{
    struct parked parked = {.traced = ghcomp_trace_begin(ghcomp_observers_now(), GHCOMP_TRACE_PARK)};
    struct ghcomp_thread *thread = own_thread();
    if (ghcomp_likely(thread != NULL)) {
        ghcomp_count_in(&thread->counts, GHCOMP_COUNT_PARKS, 1);
        parked.worker = thread->number != 0;
        if (parked.worker)
            ghcomp_wait_worker_leaves();
    }
    return parked;
}

static inline void end_park(struct parked parked)
{
    if (parked.worker)
        ghcomp_add_relaxed(&ghcomp_cpu_load.awake, 1u);
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

void ghcomp_wait_park_class_for(_Atomic uint32_t *word, uint32_t value, uint32_t classes, uint32_t nanoseconds)
{
    struct parked parked = begin_park();
    ghcomp_os_sleep_class_for(word, value, classes, nanoseconds);
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
