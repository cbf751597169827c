/* The CPU account: how many threads of all masters' regions use the process's CPUs. Capabilities that run Haskell use
 * them, too (host/capabilities.c); a master that was called from Haskell by a safe call holds none in its region.
 *
 * Called by team.c, shortage.c, agent_share.c, pool.c, wait.c, yield_to_haskell.c, worker_placement.c, admission.c and
 * cbits/haskell. Covered by test/unit/cpu_account.c.
 */
#include "core/cpu/cpu_account.h"

#include <string.h>

#include "core/cpu/cpu_load.h"
#include "core/cpu/wait_settings.h"
#include "core/state/settings.h"
#include "host/host.h"
#include "host/os.h"

_Atomic bool ghcomp_cpu_account_shared, ghcomp_cpu_account_settled;

enum { MOST_PER_CPU = 4 /* threads, in regions that are larger than the machine */ };

/* One word holds the account, so that it changes in one step.
 *
 *   change            threads, masters           recent threads             condition
 *   enter             + the region's             + the region's             the counts have room
 *   enter if it fits  + the region's             + the region's             it fits beside the recent threads
 *   enter idle        + the CPUs that were idle  + the CPUs that were idle  dyn-var is on
 *   next epoch        same                       0                          a wait reached its limit (admission.c)
 *   leave             - the region's             - the region's             recent: if it was entered in this epoch
 *
 * A region is *recent* if it was entered in this epoch. admission.c ends an epoch when a wait for its regions has
 * reached the limit; from then on admission counts them as using no CPUs. A region that is left just when its epoch's
 * number recurs, after 65,536 timeouts, may subtract itself from the regions that are recent then: the count is too low
 * for a moment, or stays too high until the next epoch.
 *
 * The word orders only itself and two other words, the collector's number below and admission.c's `asleep`: because of
 * these it is changed by cas_seqcst, and the loads that follow a store are load_seqcst. A region that was not entered
 * (the host was not chosen yet, the counts are full) is not left either: the account in its team records what was
 * entered. */
/* epoch : 16, masters : 12, threads : 18, recent : 18 */
static _Atomic uint64_t account_word GHCOMP_ALIGNED_PAIR;
enum { MOST_MASTERS = (1 << 12) - 1, MOST_THREADS = (1 << 18) - 1 };

static inline struct ghcomp_cpu_account_counts unpack(uint64_t word)
{
    return (struct ghcomp_cpu_account_counts){(uint32_t)(word >> 48), (uint32_t)(word >> 36) & MOST_MASTERS,
                                              (uint32_t)(word >> 18) & MOST_THREADS, (uint32_t)word & MOST_THREADS};
}

static inline uint64_t pack(struct ghcomp_cpu_account_counts c)
{
    return (uint64_t)(c.epoch & 0xffff) << 48 | (uint64_t)c.masters << 36 | (uint64_t)c.threads << 18 | c.recent;
}

/* Whether this is a Haskell program: the OS threads of its callers change from call to call anyway, so no caller can
   rely on the same worker. A C program for which the runtime has booted an RTS has no such callers. */
static bool haskell_around(void)
{
    const char *origin = ghcomp_host()->origin;
    return strcmp(origin, "linked") == 0 || strcmp(origin, "loaded") == 0;
}

/* --- the collector's threads -------------------------------------------------------------------------------------- */

/* GHC's parallel collector before 9.4 spins until all its threads have a CPU; beside a region on the same CPUs a
   collection takes many times as long. So while regions run, the collector gets the CPUs that they do not use, at least
   one. Members that execute Haskell are not counted as using CPUs, since a collection stops them; while they wait in a
   construct or open a region, they are counted as members in C. A member that runs a callback always counts as one in
   C, because it will soon return there. */

/* The word in which the RTS has the number; NULL: the runtime does not change it. store_release when the host is
   chosen, load_acquire. */
static _Atomic(uint32_t *) collector;
static uint32_t collector_full; /* its initial value, 0: no limit; written before `collector` */
/* xchg_relaxed: the thread that finds it false writes both, so the word is read once, before any thread changes it. */
static _Atomic bool collector_claimed;

static void start_collector(void)
{
    const struct ghcomp_host *host = ghcomp_host();
    if (host->collector_threads == NULL || ghcomp_settings.collector != GHCOMP_COLLECTOR_ADAPT || !haskell_around() ||
        ghcomp_xchg_relaxed(&collector_claimed, true))
        return;
    uint32_t *word_of_rts = host->collector_threads();
    if (word_of_rts == NULL)
        return;
    collector_full = ghcomp_foreign_load_relaxed(word_of_rts);
    ghcomp_store_release(&collector, word_of_rts);
}

/* Threads of regions that execute Haskell, counted by ghcomp_cpu_account_in_haskell. */
static _Atomic uint32_t in_haskell GHCOMP_ALIGNED_PAIR;
static __thread bool self_in_haskell GHCOMP_TLS_COLD;

/* The number of the collector's threads while `threads` threads of regions run outside of Haskell. */
static uint32_t collector_beside(uint32_t threads)
{
    uint32_t cpus = ghcomp_global.num_cpus, left = threads < cpus ? cpus - threads : 1;
    return threads == 0 || (collector_full != 0 && left > collector_full) ? collector_full : left;
}

/* Members of regions that are outside of Haskell. The two counts are not read at the same moment. */
static uint32_t outside(void)
{
    uint32_t threads = unpack(ghcomp_load_seqcst(&account_word)).threads, haskell = ghcomp_load_seqcst(&in_haskell);
    return threads > haskell ? threads - haskell : 0;
}

/* The RTS reads the number once for each collection. It is a function of two words, the account and `in_haskell`. A
   thread that changes one of them stores the new number (foreign_store_seqcst), and checks that both words still have
   the values that it used (load_seqcst): the last thread to change a word (cas_seqcst, add_seqcst, sub_seqcst) stores
   last, or a thread that stores after it sees its change. A thread that finds the number there already
   (foreign_load_seqcst) does not store it, since a thread that stores another one later sees the change as well. */
static void set_collector(uint32_t *word_of_rts)
{
    uint32_t threads = outside(), before;
    do {
        before = threads;
        uint32_t left = collector_beside(threads);
        if (ghcomp_foreign_load_seqcst(word_of_rts) != left)
            ghcomp_foreign_store_seqcst(word_of_rts, left);
    } while ((threads = outside()) != before);
}

/* --- the account -------------------------------------------------------------------------------------------------- */

static inline void changed(void)
{
    uint32_t *word_of_rts = ghcomp_load_acquire(&collector);
    if (ghcomp_unlikely(word_of_rts != NULL))
        set_collector(word_of_rts);
}

bool ghcomp_cpu_account_collects_alone(void)
{
    uint32_t *word_of_rts = ghcomp_load_acquire(&collector);
    return word_of_rts != NULL && ghcomp_foreign_load_relaxed(word_of_rts) == 1;
}

bool ghcomp_cpu_account_in_haskell(bool now)
{
    bool before = self_in_haskell;
    if (before == now)
        return before;
    self_in_haskell = now;
    if (now)
        ghcomp_add_seqcst(&in_haskell, 1u);
    else
        ghcomp_sub_seqcst(&in_haskell, 1u);
    changed();
    return before;
}

struct ghcomp_cpu_account_counts ghcomp_cpu_account_counts(void)
{
    return unpack(ghcomp_load_relaxed(&account_word));
}

uint32_t ghcomp_cpu_account_haskell(void)
{
    uint32_t busy = ghcomp_capabilities_busy(), inside = ghcomp_load_relaxed(&ghcomp_cpu_load.inside);
    return busy > inside ? busy - inside : 0;
}

/* The number of CPUs that neither threads of regions nor busy Capabilities use. */
static inline uint32_t idle(uint32_t threads, uint32_t busy)
{
    uint32_t taken = threads + busy;
    return taken < ghcomp_global.num_cpus ? ghcomp_global.num_cpus - taken : 0;
}

/* A region that is larger than the machine cannot keep its CPUs busy: its threads take turns, and each waits for all
   others. So other such regions may run beside it, as long as no CPU has more than MOST_PER_CPU threads. */
static inline bool fits(struct ghcomp_cpu_account_counts c, uint32_t threads)
{
    uint32_t cpus = ghcomp_global.num_cpus, most = threads > cpus ? MOST_PER_CPU * cpus : cpus;
    return c.recent == 0 || c.recent + threads <= most;
}

/* The counts with the region added, as `account` then records it; unchanged where the region would overflow them. */
static inline struct ghcomp_cpu_account_counts with_region(struct ghcomp_cpu_account_counts c,
                                                           struct ghcomp_account *account, uint32_t threads,
                                                           bool master)
{
    if (threads > MOST_THREADS - c.threads || c.masters + master > MOST_MASTERS) {
        *account = (struct ghcomp_account){0, 0, false, false};
        return c;
    }
    *account = (struct ghcomp_account){threads, (uint16_t)c.epoch, master, false};
    c.masters += master;
    c.threads += threads;
    c.recent += threads;
    return c;
}

/* Whether the collector's number lingers: it may still be the one for regions that have ended. */
static _Atomic bool lingers GHCOMP_ALIGNED_PAIR;

/* Called after a region has been left; `threads`: those of the remaining regions. Corrects the collector's number, or
   lets it linger: between regions that follow each other closely a collection with all threads would find CPUs taken by
   workers that spin for their next region. So a master that leaves the last region while workers are awake lets the
   number linger (xchg_seqcst, unless load_seqcst finds that it does), and the last worker that goes to sleep corrects
   it (load_seqcst, xchg_seqcst). The master reads the count of workers (load_seqcst) after that, and the worker reads
   `lingers` after it has left the count (sub_seqcst), so one of them sees the other. Both may correct it. */
static inline void changed_by_end(uint32_t threads)
{
    if (threads == 0 && ghcomp_load_relaxed(&collector) != NULL && ghcomp_wait_workers_sleep_soon()) {
        if (!ghcomp_load_seqcst(&lingers))
            ghcomp_xchg_seqcst(&lingers, true);
        if (ghcomp_load_seqcst(&ghcomp_cpu_load.awake) != 0)
            return;
    }
    changed();
}

void ghcomp_cpu_account_workers_sleep(void)
{
    if (ghcomp_load_seqcst(&lingers) && ghcomp_xchg_seqcst(&lingers, false))
        changed();
}

/* Called after the caller has entered the region: until it leaves, the caller does not count as a thread that executes
   Haskell. */
static inline void entered(struct ghcomp_account *account)
{
    account->in_haskell = ghcomp_cpu_account_in_haskell(false);
    changed();
}

void ghcomp_cpu_account_enter(struct ghcomp_account *account, uint32_t threads, bool master)
{
    uint64_t word = ghcomp_load_relaxed(&account_word), next;
    do
        next = pack(with_region(unpack(word), account, threads, master));
    while (!ghcomp_cas_seqcst(&account_word, &word, next));
    entered(account);
}

bool ghcomp_cpu_account_enter_if_fits(struct ghcomp_account *account, uint32_t threads)
{
    uint64_t word = ghcomp_load_seqcst(&account_word), next;
    do {
        struct ghcomp_cpu_account_counts c = unpack(word);
        if (!fits(c, threads))
            return false;
        next = pack(with_region(c, account, threads, true));
    } while (!ghcomp_cas_seqcst(&account_word, &word, next));
    entered(account);
    return true;
}

/* The number of idle CPUs is read and taken in one step, so that two masters do not take the same ones. A master that
   finds none runs with its own thread. So all such regions of more than one thread together have no more threads than
   there are CPUs. */
uint32_t ghcomp_cpu_account_enter_idle(struct ghcomp_account *account, uint32_t most, bool master)
{
    uint64_t word = ghcomp_load_relaxed(&account_word), next;
    uint32_t size;
    do {
        struct ghcomp_cpu_account_counts c = unpack(word);
        /* An inner region's master is counted by the outer one. */
        uint32_t left = idle(c.threads, 0) + !master;
        if (left > 1) /* else the region gets one thread anyway: avoids reading lines that Haskell writes to */
            left = idle(c.threads, ghcomp_cpu_account_haskell()) + !master;
        size = left == 0 ? 1 : left < most ? left : most;
        next = pack(with_region(c, account, size - !master, master));
    } while (!ghcomp_cas_seqcst(&account_word, &word, next));
    entered(account);
    return size;
}

void ghcomp_cpu_account_leave(struct ghcomp_account *account)
{
    bool haskell = account->in_haskell;
    uint64_t word = ghcomp_load_relaxed(&account_word), next;
    struct ghcomp_cpu_account_counts c;
    do {
        c = unpack(word);
        c.masters -= account->master;
        c.threads -= account->threads;
        if ((uint16_t)c.epoch == account->epoch && c.recent >= account->threads) /* epochs come round again */
            c.recent -= account->threads;
        next = pack(c);
    } while (!ghcomp_cas_seqcst(&account_word, &word, next));
    *account = (struct ghcomp_account){0, 0, false, false};
    if (haskell)
        ghcomp_cpu_account_in_haskell(true);
    changed_by_end(c.threads);
}

void ghcomp_cpu_account_next_epoch(void)
{
    uint64_t word = ghcomp_load_relaxed(&account_word);
    struct ghcomp_cpu_account_counts c;
    do {
        c = unpack(word);
        c.epoch++;
        c.recent = 0;
    } while (!ghcomp_cas_seqcst(&account_word, &word, pack(c)));
}

/* --- beginning and fork() ----------------------------------------------------------------------------------------- */

void ghcomp_cpu_account_start(void)
{
    ghcomp_capabilities_start();
    start_collector();
    bool shared = ghcomp_settings.share == GHCOMP_SHARE_ALL ||
                  (ghcomp_settings.share == GHCOMP_SHARE_AUTO && haskell_around());
    ghcomp_store_relaxed(&ghcomp_cpu_account_shared, shared);
    ghcomp_store_release(&ghcomp_cpu_account_settled, true);
}

/* Resets the account: the child has none of the parent's regions, so its collector gets all CPUs again. */
void ghcomp_cpu_account_fork_child(void)
{
    uint32_t *word_of_rts = ghcomp_load_relaxed(&collector);
    if (word_of_rts != NULL)
        ghcomp_foreign_store_seqcst(word_of_rts, collector_full);
    ghcomp_store_relaxed(&collector, NULL);
    ghcomp_store_relaxed(&collector_claimed, false);
    ghcomp_store_relaxed(&ghcomp_cpu_account_shared, false);
    ghcomp_store_relaxed(&ghcomp_cpu_account_settled, false);
    ghcomp_store_relaxed(&account_word, 0u);
    ghcomp_store_relaxed(&in_haskell, 0u);
    ghcomp_store_relaxed(&lingers, false);
    self_in_haskell = false;
}
