/* Several masters at the same time, in a process of C. All words are hints: they order nothing, and two threads that
 * return late at the same time may double the time once or twice. Called by wait.c. Covered by test/unit/masters.c;
 * measured by bench/c_call.py.
 */
#include "core/cpu/masters.h"

#include "base/atomic.h"

enum {
    SPAN_NS = 20000000,
    SLEEP_NS = 200000000,       /* how long all threads sleep at once, at first ... */
    SLEEP_MOST_NS = 1600000000, /* ... and at most */
    MOST = 0xffff
};

/* span : 32, masters of the span before : 16, masters of this span : 16; changed by cas_relaxed */
static _Atomic uint64_t lately GHCOMP_ALIGNED_PAIR;

/* All threads sleep at once until this time; `lasts` is the length of that period. Relaxed. */
static struct {
    _Atomic uint64_t until GHCOMP_ALIGNED_PAIR;
    _Atomic uint64_t lasts;
} late;

/* Regions are not counted in a process of C when they begin and end (cpu_account.h), because that would cost each of
   them two changes of a word that all masters share. But threads that open regions at the same time each want a CPU,
   and so do the workers of each: a waiter must know whether its spinning keeps another thread from a CPU. So masters
   are counted when they wait for so long that they read the clock, each once in a *span* of SPAN_NS, in which a master
   that has to share its CPU gets to run. The result is the count of the last whole span, or that of the present one if
   larger: a thread that opens no more regions, or never waits for its workers, is dropped after two spans. */
uint32_t ghcomp_masters_count(struct ghcomp_thread *master, uint64_t now)
{
    uint64_t word = ghcomp_load_relaxed(&lately), next;
    uint32_t span, here, before;
    do {
        uint32_t last = (uint32_t)(word >> 32), passed = (uint32_t)(now / SPAN_NS) - last;
        bool behind = passed > UINT32_MAX / 2; /* another thread, with a later clock, has begun the next span */
        span = behind ? last : last + passed;
        here = (uint32_t)word & MOST;
        before = (uint32_t)(word >> 16) & MOST;
        if (span != last) {
            before = passed == 1 ? here : 0;
            here = 0;
        } else if (master->wait.counted_in == span) {
            break;
        }
        here += here < MOST;
        next = (uint64_t)span << 32 | (uint64_t)before << 16 | here;
    } while (!ghcomp_cas_relaxed(&lately, &word, next));
    master->wait.counted_in = span;
    return here > before ? here : before;
}

/* Threads of several teams that are more than the CPUs yield when they wait. While regions are short that costs least:
   the thread that gets the CPU soon yields it, too. If one of them computes for longer the kernel gives it a slice, of
   some milliseconds, and a thread whose wait ended after a fraction of that returns late from its yield (wait.c). A
   thread that sleeps and is woken preempts instead. A late return is recorded for all threads, because the next late
   one is as likely another thread: for SLEEP_NS the threads of the process sleep at once when they wait for the end of
   their region, or for the next one. Then they try yields again. If one returns late within as long a time, they sleep
   for twice as long, up to SLEEP_MOST_NS. In barriers they always yield, because a sleep and a wake-up in each of many
   barriers cost more (docs/internals/adr/0028). */
void ghcomp_masters_late(uint64_t now)
{
    uint64_t until = ghcomp_load_relaxed(&late.until), lasts = ghcomp_load_relaxed(&late.lasts);
    if (now < until)
        return;
    bool again = lasts != 0 && now - until < lasts;
    uint64_t longer = again ? 2 * lasts : SLEEP_NS;
    lasts = longer < SLEEP_MOST_NS ? longer : SLEEP_MOST_NS;
    ghcomp_store_relaxed(&late.lasts, lasts);
    ghcomp_store_relaxed(&late.until, now + lasts);
}

bool ghcomp_masters_sleep(uint64_t now)
{
    return now < ghcomp_load_relaxed(&late.until);
}

void ghcomp_masters_fork_child(void)
{
    ghcomp_store_relaxed(&lately, 0u);
    ghcomp_store_relaxed(&late.until, 0u);
    ghcomp_store_relaxed(&late.lasts, 0u);
}
