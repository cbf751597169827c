/* Regions yield to Haskell where both want the same CPUs. Measured: docs/results/pool.md, ADR 16. Called by team.c,
 * loop.h, loop_entries.h, task_run.c, taskloop.c, task_graph_run.c, kmp_task.c and barrier.c. Covered by
 * test/unit/yield_to_haskell.c.
 */
#include "core/cpu/yield_to_haskell.h"

#include "core/state/settings.h"
#include "core/trace/trace.h"
#include "host/host.h"
#include "host/os.h"

enum {
    SHORTEST_NAP_NS = 1,          /* the kernel adds its timer slack, 50 us by default */
    ASIDE_NAP_NS = 150000,        /* until the next check, which takes a CPU from the collection for a moment */
    LONGEST_ASIDE_NS = 2000000,
    ASIDE_WITHIN_TICKS = 20 * GHCOMP_TICKS_PER_US, /* a check costs a microsecond, more than a small chunk or task */
    LONG_LATELY_TICKS = 10000 * GHCOMP_TICKS_PER_US, /* several collections of a program that allocates */
    LET_WITHIN_TICKS = 4 * GHCOMP_TICKS_PER_US, /* a check in each region of many masters is costly */
    CLOSE_TICKS = 20 * GHCOMP_TICKS_PER_US  /* longer than a thread that only calls regions is in Haskell */
};

static void count_yield(struct ghcomp_thread *self)
{
    ghcomp_count_in(&self->counts, GHCOMP_COUNT_YIELDS, 1);
    ghcomp_trace_moment(ghcomp_observers_now(), GHCOMP_TRACE_YIELD, 1);
}

/* A thread sleeps or yields where it calls the runtime anyway. The account (cpu_account.c) and the Capabilities' words
   are hints: a wrong one costs a nap, or delays a collection. No thread waits for these naps, so no thread has to be
   woken. With OMP_WAIT_POLICY=active threads do only what GHCOMP_FAVOUR asks for. */

/* --- aside -------------------------------------------------------------------------------------------------------- */

/* Where one thread collects alone: when a long collection last ran; atomic(relaxed). */
static _Atomic uint64_t long_at GHCOMP_ALIGNED_PAIR;

/* Whether collections are too short to step aside for them, where one thread collects alone (cpu_account.c): unless two
   checks in a row have found one running, in the last 10 ms. Such collections take some microseconds, a hundredth of
   the sleep, and most of the time a check finds one that waits for a Haskell thread to stop. That thread lacks a CPU
   then, and gets one when a slice ends; meanwhile regions have all CPUs, and then Haskell has them again (ADR 21). */
static inline bool collections_are_short(uint64_t ticks)
{
    if (!ghcomp_cpu_account_collects_alone())
        return false;
    if (ghcomp_capabilities_held_together_lately(ticks, ASIDE_WITHIN_TICKS))
        ghcomp_store_relaxed(&long_at, ticks);
    return (int64_t)(ticks - ghcomp_load_relaxed(&long_at)) > LONG_LATELY_TICKS; /* another thread may have stored a
                                                                                    later time */
}

/* A collection stops all of Haskell, and on a machine whose CPUs are all taken its threads wait for each other's time
   slices. So a member sleeps until it is over, at most LONGEST_ASIDE_NS, unless its region is younger than
   `long_ticks`: it is probably over sooner. At a barrier that is more than a time slice: a short region that has lost
   its CPU in between looks long, and a thread that waits there sleeps anyway (wait.h). */
void ghcomp_yield_to_haskell_slow(struct ghcomp_member *self, uint64_t long_ticks)
{
    uint64_t ticks = ghcomp_cpu_ticks();
    if (ticks - self->team->begun < long_ticks || ghcomp_global.wait_policy == GHCOMP_POLICY_ACTIVE)
        return;
    if (collections_are_short(ticks) || !ghcomp_capabilities_collecting_lately(ticks, ASIDE_WITHIN_TICKS))
        return;
    count_yield(self->thread);
    uint64_t begin = ghcomp_os_now();
    do
        ghcomp_os_nap(ASIDE_NAP_NS);
    while (ghcomp_capabilities_collecting() && ghcomp_os_now() - begin < LONGEST_ASIDE_NS);
}

/* --- before a region ---------------------------------------------------------------------------------------------- */

/* Whether a collection that uses all Capabilities, and one thread more than there are in regions, have too few CPUs. */
static inline bool collector_lacks_cpu(void)
{
    return ghcomp_cpu_account_counts().threads + 1 + ghcomp_host()->capabilities() > ghcomp_global.num_cpus;
}

/* The kernel does not know that a collection stops all of Haskell: a thread that the collection waits for gets a CPU
   when the time slice of another one ends. A team's threads sleep while they wait for each other (wait.h), but a master
   whose regions adapt runs them without workers and never sleeps. So it takes the shortest nap there is when a
   collection that may lack a CPU is running: one that uses all Capabilities. It does so only when it has spent more
   than a moment in Haskell. There it waited for a Capability until a collection took that from the thread that had it,
   and both now share the CPU. Naps between regions that follow each other closely would cost it regions without a gain
   for Haskell (ADR 16).

   GHCOMP_FAVOUR=haskell (`favoured`): before each outermost region its master yields when a collection is running, so
   that the kernel lets the others have their time slice. */
static void let_collect(struct ghcomp_thread *self, bool favoured)
{
    uint64_t ticks = ghcomp_cpu_ticks();
    if (!favoured && (ticks - self->admission.left < CLOSE_TICKS || !collector_lacks_cpu()))
        return;
    if (!ghcomp_capabilities_collecting_lately(ticks, LET_WITHIN_TICKS))
        return;
    count_yield(self);
    if (favoured)
        ghcomp_os_yield();
    else
        ghcomp_os_nap(SHORTEST_NAP_NS);
}

void ghcomp_yield_to_haskell_before(struct ghcomp_thread *self, bool adapts)
{
    bool favoured = ghcomp_settings.favour == GHCOMP_FAVOUR_HASKELL;
    bool may = ghcomp_load_relaxed(&ghcomp_cpu_account_shared) && ghcomp_global.wait_policy != GHCOMP_POLICY_ACTIVE;
    if (favoured || (may && adapts))
        let_collect(self, favoured);
}
