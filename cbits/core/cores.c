/* The process's account of its cores: who runs on them, over all masters.
 *
 * One word says it all, so that it changes in one step: masters of regions, threads of their regions, threads of the
 * *recent* ones among these, and the era. Recent are regions that were entered in this era; admission.c ends an era
 * when its regions have kept somebody waiting for too long, and then they fill no cores as far as it is concerned.
 *
 * The word is a count of what others do. It orders nothing but itself and two other words, the collector's number below
 * and admission.c's `asleep`, for which it is changed by cas_seqcst and the looks that follow a store are load_seqcst.
 * A region that is not entered (the host was not chosen yet, the counts are full) is not left either: the account in
 * its team says what was.
 *
 * With dyn-var on a region takes of the cores that nobody uses; how many these are is settled in the step that takes
 * them, so that two masters do not take the same ones. A master that finds none has its own thread. So such regions of
 * more than one thread have no more threads together than there are CPUs.
 *
 * Eras are told apart by 16 bits. A region that is left just when its era's number has come round again, 65,536 waits
 * in vain later, may take itself from those that are recent now: the count is too low for a moment, or stays too high
 * until the next era.
 *
 * Beside the regions' threads, cores are held by Capabilities that Haskell runs on (host/capabilities.c). A master that
 * was called from Haskell holds none while its region runs.
 *
 * The collector's threads. GHC's parallel collector before 9.4 spins until all its threads have a CPU; beside a region
 * that runs on the same cores a collection took twenty times as long. While regions run it gets the cores that they
 * leave, one at least. The RTS reads the number once for each collection. Whoever changes the word stores what follows
 * from it, and looks again whether that still holds: the last one to change the word stores last, or is seen by who
 * stores after it (cas and load_seqcst of the word on one side, the plain store of the number on the other, which x86
 * and the fence of the compare-and-swap keep in order).
 *
 * Stepping aside. A collection stops all of Haskell, and on a machine whose cores are all taken its threads wait for
 * each other's time slices. A member of a region that has run for 50 us already looks, where it calls the runtime for
 * work (a chunk, a task), whether one is at work, and sleeps until it is over, at most 2 ms. Shorter regions are over
 * sooner than that would take. At a barrier it does so when the region is older than a time slice: a short one that
 * has lost its CPU in between looks long, and who waits there sleeps anyway (wait.h).
 *
 * A master whose regions adapt runs them alone on a busy machine and never waits, so that nothing takes its CPU from
 * it but the end of its time slice; the collector's thread that was to run there waits as long. So it gives its CPU
 * away where a region begins while a collection is at work: once in half a millisecond where the collector
 * spins (GHC < 9.4), or each time with GHCOMP_FAVOUR=haskell, which goes for regions of fixed size, too.
 *
 * Called by team.c, wait.c and admission.c. Covered by test/unit/cores.c.
 */
#include "core/cores.h"

#include "core/env_table.h"
#include "core/wait.h"
#include "core/trace.h"
#include "host/host.h"
#include "host/os.h"

_Atomic bool ghcomp_cores_shared, ghcomp_cores_settled;

/* era : 16, masters : 12, threads : 18, recent : 18 */
enum { ASIDE_NS = 20000, LONGEST_ASIDE_NS = 2000000, LET_COLLECT_EVERY_TICKS = 1500000 };
enum { CROWD = 4 };
enum { MOST_MASTERS = (1 << 12) - 1, MOST_THREADS = (1 << 18) - 1 };
static _Atomic uint64_t account_word GHCOMP_ALIGNED_PAIR;

struct counts {
    uint32_t era, masters, threads, recent;
};

static inline struct counts unpack(uint64_t word)
{
    return (struct counts){(uint32_t)(word >> 48), (uint32_t)(word >> 36) & MOST_MASTERS,
                           (uint32_t)(word >> 18) & MOST_THREADS, (uint32_t)word & MOST_THREADS};
}

static inline uint64_t pack(struct counts c)
{
    return (uint64_t)(c.era & 0xffff) << 48 | (uint64_t)c.masters << 36 | (uint64_t)c.threads << 18 | c.recent;
}

/* --- the collector's threads -------------------------------------------------------------------------------------- */

/* The RTS's own word; NULL: left alone. store_release when the host is chosen, load_acquire. */
static _Atomic(uint32_t *) collector;
static uint32_t collector_full; /* what it said at first; written before `collector` */

static void set_collector(uint32_t *word_of_rts, uint64_t word)
{
    for (;;) {
        uint32_t threads = unpack(word).threads, cpus = ghcomp_global.num_cpus;
        uint32_t left = threads < cpus ? cpus - threads : 1;
        __atomic_store_n(word_of_rts, threads == 0 || left > collector_full ? collector_full : left, __ATOMIC_SEQ_CST);
        uint64_t now = ghcomp_load_seqcst(&account_word);
        if (unpack(now).threads == threads)
            return;
        word = now;
    }
}

/* --- the account -------------------------------------------------------------------------------------------------- */

static inline void changed(uint64_t word)
{
    uint32_t *word_of_rts = ghcomp_load_acquire(&collector);
    if (ghcomp_unlikely(word_of_rts != NULL))
        set_collector(word_of_rts, word);
}

uint32_t ghcomp_cores_running(void)
{
    return unpack(ghcomp_load_relaxed(&account_word)).threads;
}

uint32_t ghcomp_cores_masters(void)
{
    return unpack(ghcomp_load_relaxed(&account_word)).masters;
}

uint32_t ghcomp_cores_haskell(void)
{
    uint32_t busy = ghcomp_capabilities_busy(), inside = ghcomp_load_relaxed(&ghcomp_wait.inside);
    return busy > inside ? busy - inside : 0;
}

uint32_t ghcomp_cores_recent(void)
{
    return unpack(ghcomp_load_relaxed(&account_word)).recent;
}

static inline uint32_t idle(uint32_t threads, uint32_t busy)
{
    uint32_t taken = threads + busy;
    return taken < ghcomp_global.num_cpus ? ghcomp_global.num_cpus - taken : 0;
}

uint32_t ghcomp_cores_idle(void)
{
    return idle(ghcomp_cores_running(), ghcomp_cores_haskell());
}

/* A region that is larger than the machine cannot keep its CPUs busy: its threads take turns, and each waits for all.
   So another one such goes beside it, as long as no CPU has more than CROWD threads. */
static inline bool fits(struct counts c, uint32_t threads)
{
    uint32_t cpus = ghcomp_global.num_cpus, most = threads > cpus ? CROWD * cpus : cpus;
    return c.recent == 0 || c.recent + threads <= most;
}

/* The counts with the region in them, which the account says, too; as they were where the region would make them too
   large. */
static inline struct counts with_region(struct counts c, struct ghcomp_account *account, uint32_t threads, bool master)
{
    if (c.threads + threads > MOST_THREADS || c.masters + master > MOST_MASTERS) {
        *account = (struct ghcomp_account){0, 0, false};
        return c;
    }
    *account = (struct ghcomp_account){threads, (uint16_t)c.era, master};
    c.masters += master;
    c.threads += threads;
    c.recent += threads;
    return c;
}

void ghcomp_cores_enter(struct ghcomp_account *account, uint32_t threads, bool master)
{
    uint64_t word = ghcomp_load_relaxed(&account_word), next;
    do
        next = pack(with_region(unpack(word), account, threads, master));
    while (!ghcomp_cas_seqcst(&account_word, &word, next));
    changed(next);
}

bool ghcomp_cores_enter_if_room(struct ghcomp_account *account, uint32_t threads)
{
    uint64_t word = ghcomp_load_seqcst(&account_word), next;
    do {
        struct counts c = unpack(word);
        if (!fits(c, threads))
            return false;
        next = pack(with_region(c, account, threads, true));
    } while (!ghcomp_cas_seqcst(&account_word, &word, next));
    changed(next);
    return true;
}

uint32_t ghcomp_cores_enter_idle(struct ghcomp_account *account, uint32_t most, bool master)
{
    uint32_t busy = ghcomp_cores_haskell(), size;
    uint64_t word = ghcomp_load_relaxed(&account_word), next;
    do {
        struct counts c = unpack(word);
        /* The thread of an inner region's master is counted by the outer one. */
        uint32_t room = idle(c.threads, busy) + !master;
        size = room == 0 ? 1 : room < most ? room : most;
        next = pack(with_region(c, account, size - !master, master));
    } while (!ghcomp_cas_seqcst(&account_word, &word, next));
    changed(next);
    return size;
}

void ghcomp_cores_leave(struct ghcomp_account *account)
{
    uint64_t word = ghcomp_load_relaxed(&account_word), next;
    do {
        struct counts c = unpack(word);
        c.masters -= account->master;
        c.threads -= account->threads;
        if ((uint16_t)c.era == account->era && c.recent >= account->threads) /* eras come round again */
            c.recent -= account->threads;
        next = pack(c);
    } while (!ghcomp_cas_seqcst(&account_word, &word, next));
    account->threads = 0;
    changed(next);
}

void ghcomp_cores_next_era(void)
{
    uint64_t word = ghcomp_load_relaxed(&account_word);
    struct counts c;
    do {
        c = unpack(word);
        c.era++;
        c.recent = 0;
    } while (!ghcomp_cas_seqcst(&account_word, &word, pack(c)));
}

void ghcomp_cores_step_aside_slow(struct ghcomp_member *self, uint64_t long_ticks)
{
    uint64_t ticks = ghcomp_cpu_ticks();
    if (ticks - self->team->begun < long_ticks || !ghcomp_capabilities_collecting_lately(ticks) ||
        ghcomp_global.wait_policy == GHCOMP_WAIT_ACTIVE)
        return;
    ghcomp_count_in(&self->thread->counts, GHCOMP_COUNT_YIELDS, 1);
    ghcomp_trace_moment(GHCOMP_TRACE_YIELD, 1);
    uint64_t begin = ghcomp_os_now();
    do
        ghcomp_os_nap(ASIDE_NS);
    while (ghcomp_capabilities_collecting() && ghcomp_os_now() - begin < LONGEST_ASIDE_NS);
}

void ghcomp_cores_let_collect(struct ghcomp_thread *self, bool adapts)
{
    bool favoured = ghcomp_env.favour == GHCOMP_FAVOUR_HASKELL;
    if (ghcomp_likely(!favoured && (!adapts || ghcomp_load_relaxed(&collector) == NULL)))
        return;
    uint64_t ticks = ghcomp_cpu_ticks();
    if ((!favoured && ticks - self->let_collect < LET_COLLECT_EVERY_TICKS) ||
        !ghcomp_capabilities_collecting_lately(ticks))
        return;
    self->let_collect = ticks;
    ghcomp_count_in(&self->counts, GHCOMP_COUNT_YIELDS, 1);
    ghcomp_trace_moment(GHCOMP_TRACE_YIELD, 1);
    ghcomp_os_yield();
}

/* --- beginning and fork() ----------------------------------------------------------------------------------------- */

/* A Haskell program around us: its callers' OS threads change from call to call anyway, so that nobody can count on the
   same worker. A process of C that runs on an RTS of ours has none. */
static bool haskell_around(void)
{
    const char *origin = ghcomp_host()->origin;
    return origin[0] == 'l'; /* "linked", "loaded" */
}

void ghcomp_cores_start(void)
{
    ghcomp_capabilities_start();
    const struct ghcomp_host *host = ghcomp_host();
    if (host->collector_threads != NULL && ghcomp_load_relaxed(&collector) == NULL && haskell_around() &&
        ghcomp_env.collector == GHCOMP_COLLECTOR_ADAPT) {
        uint32_t *threads = host->collector_threads();
        if (threads != NULL) {
            collector_full = *threads;
            ghcomp_store_release(&collector, threads);
        }
    }
    bool shared = ghcomp_env.share == GHCOMP_SHARE_ALL || (ghcomp_env.share == GHCOMP_SHARE_AUTO && haskell_around());
    ghcomp_store_relaxed(&ghcomp_cores_shared, shared);
    ghcomp_store_relaxed(&ghcomp_cores_settled, true);
}

/* The child has none of the parent's regions, and its collector all of the cores again. */
void ghcomp_cores_fork_child(void)
{
    uint32_t *word_of_rts = ghcomp_load_relaxed(&collector);
    if (word_of_rts != NULL)
        __atomic_store_n(word_of_rts, collector_full, __ATOMIC_SEQ_CST);
    ghcomp_store_relaxed(&collector, NULL);
    ghcomp_store_relaxed(&ghcomp_cores_shared, false);
    ghcomp_store_relaxed(&account_word, 0u);
}
