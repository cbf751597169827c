/* Reads the state of the Capabilities of the host's RTS from outside.
 *
 * What is read. A Capability is busy while a Task holds it: the word behind its number, `running_task` in GHC's source.
 * (The current Haskell thread would not show the collector and the scheduler.) No public header has that word's offset,
 * which has been the same since 8.2. The runtime checks it instead of relying on it. A thread that holds a Capability
 * must find the Capability's number before the word, and in the word the same value for every Capability and each time;
 * after it has given the Capability back, another value. If a check fails, the runtime ignores Capabilities from then
 * on, as on POSIX threads.
 *
 * Finding them. The RTS gives a Capability's address only to a thread that holds it. A *finder*, a thread that does
 * nothing else, takes each one in turn and gives it back: when the host is chosen, and when there are more than have
 * been found. The first one also asks the host to call the runtime at the RTS's end, for which it needs a Capability,
 * too; the thread that chooses the host waits until it has asked, for a bounded time (`watched`). A finder waits while
 * a Capability is busy, perhaps for ever; so a Capability that has not been found counts as busy. Threads that enter
 * Haskell for other reasons report their Capability, too (cbits/haskell/capability_claim.c). A change of their number
 * does not move Capabilities, and they are not freed before the RTS ends.
 *
 * How often. The words are on cache lines that Haskell writes, so they are read once in a microsecond, by the first
 * thread that asks (cas_relaxed of the time of the last look; the published count is a hint and orders nothing). Other
 * threads get that result. A query about a collection gives the maximum age of the answer.
 *
 * `found[i]` is published by a store_release, pairs with the load_acquire of its readers; immutable after that.
 *
 * Called by core/cpu/{cpu_account,wait,yield_to_haskell}.c, haskell/capability_claim.c, abi/ghcomp/ghcomp_api.c and
 * host/. Covered by test/unit/capabilities.c and test/host/.
 */
#include "host/capabilities.h"

#include "base/check.h"
#include "host/host.h"
#include "host/os.h"

enum { MOST = 256, LOOK_EVERY_TICKS = GHCOMP_TICKS_PER_US };

static _Atomic(void *) found[MOST];
static struct {
    _Atomic uint64_t looked GHCOMP_ALIGNED_PAIR; /* ticks at the last look; atomic(relaxed) */
    _Atomic uint32_t busy;                       /* its result; atomic(relaxed) */
    _Atomic uint64_t asked GHCOMP_ALIGNED_PAIR;  /* ticks at the last look for a collection; atomic(relaxed) */
    _Atomic bool collecting;                     /* its result; atomic(relaxed) */
    /* The same for looks for a thread that holds several Capabilities; `together`: how many of the last two looks found
       one. Both are atomic(relaxed); `together` is written by the thread whose look was due. */
    _Atomic uint64_t asked_together GHCOMP_ALIGNED_PAIR;
    _Atomic uint32_t together;
    _Atomic bool finding;                        /* a finder runs; xchg_acqrel sets it, store_release clears it */
    _Atomic bool watched;                        /* the first finder has asked; store_release, load_acquire */
    _Atomic bool unaware GHCOMP_ALIGNED_PAIR;    /* atomic(relaxed): only ever becomes true */
    _Atomic bool started;                        /* store_release when the host has been chosen; load_acquire */
    _Atomic bool forgotten;                      /* atomic(relaxed): only ever becomes true in a process */
} visibility;

static inline bool may_look(void)
{
    return ghcomp_load_acquire(&visibility.started) && !ghcomp_load_relaxed(&visibility.forgotten);
}

static inline bool looking(void)
{
    return may_look() && !ghcomp_load_relaxed(&visibility.unaware);
}

static inline uint32_t number_of(void *capability)
{
    return ghcomp_foreign_load_relaxed((uint32_t *)((char *)capability + ghcomp_host()->number_offset));
}

static inline void *task_of(void *capability)
{
    return ghcomp_foreign_load_relaxed((void **)((char *)capability + ghcomp_host()->number_offset + 8));
}

static inline bool stopped(void *capability)
{
    uint32_t offset = ghcomp_host()->interrupt_offset;
    return offset != 0 && ghcomp_foreign_load_relaxed((int *)((char *)capability + offset)) != 0;
}

static uint32_t usable(void)
{
    uint32_t count = ghcomp_host()->capabilities();
    return count < MOST ? count : MOST;
}

enum ghcomp_capability_visibility ghcomp_capabilities_visibility(void)
{
    if (ghcomp_load_relaxed(&visibility.unaware)) /* read once: a finder may set it meanwhile */
        return GHCOMP_VISIBILITY_UNAWARE;
    return may_look() ? GHCOMP_VISIBILITY_AWARE : GHCOMP_VISIBILITY_NONE;
}

bool ghcomp_capabilities_found(void)
{
    for (uint32_t i = 0; i < usable(); i++)
        if (ghcomp_load_acquire(&found[i]) == NULL)
            return false;
    return true;
}

/* --- finding ------------------------------------------------------------------------------------------------------ */

static void blind(void)
{
    ghcomp_store_relaxed(&visibility.unaware, true);
}

void ghcomp_capability_learn(void *capability, void **task)
{
    if (!looking())
        return;
    uint32_t number = number_of(capability);
    void *now = task_of(capability);
    if (*task == NULL)
        *task = now;
    void *known = number < MOST ? ghcomp_load_relaxed(&found[number]) : NULL;
    if (number >= MOST || now == NULL || now != *task || (known != NULL && known != capability))
        blind();
    else if (known == NULL)
        ghcomp_store_release(&found[number], capability);
}

void ghcomp_capability_learnt(void *capability, void *task)
{
    if (looking() && task != NULL && task_of(capability) == task)
        blind();
}

void *ghcomp_capability(uint32_t number)
{
    return number < MOST && looking() ? ghcomp_load_acquire(&found[number]) : NULL;
}

bool ghcomp_capability_held(void *capability)
{
    return task_of(capability) != NULL;
}

static void *find_all(void *nothing)
{
    (void)nothing;
    const struct ghcomp_host *host = ghcomp_host();
    static uint32_t missed; /* finder only: there is one at a time */
    static bool asked;      /* finder only */
    void *task = NULL;
    bool inside = ghcomp_host_enter(host);
    if (inside && !asked && host->watch_end != NULL && host->state() == GHCOMP_RTS_READY) {
        asked = true;
        host->watch_end(ghcomp_host_ends);
    }
    ghcomp_store_release(&visibility.watched, true);
    for (uint32_t i = 0; inside && i < usable() && looking(); i++) {
        if (ghcomp_load_relaxed(&found[i]) != NULL)
            continue;
        void *capability = host->hold(i);
        ghcomp_capability_learn(capability, &task);
        host->release(capability);
        ghcomp_capability_learnt(capability, task);
        /* A few misses are allowed, because the RTS sometimes gives another Capability when their number has just
           decreased. */
        if (ghcomp_load_relaxed(&found[i]) == NULL && ++missed > 3)
            blind();
    }
    if (inside) {
        if (host->state() == GHCOMP_RTS_READY) /* it may have ended meanwhile */
            host->worker_stop();
        ghcomp_host_leave();
    }
    ghcomp_store_release(&visibility.finding, false);
    return NULL;
}

static void find(void)
{
    pthread_t finder;
    if (ghcomp_xchg_acqrel(&visibility.finding, true))
        return;
    /* The RTS makes its workers when a thread gives a Capability back, and they inherit that thread's signal mask: with
       all signals blocked in it, a process that Haskell starts in such a worker could not be ended by any but SIGKILL.
       The workers of an RTS that the runtime has booted run no code of the program, and take none of its signals. */
    int error = ghcomp_host_of_program() ? ghcomp_os_spawn(&finder, find_all, NULL, 0)
                                         : ghcomp_os_spawn_quiet(&finder, find_all, NULL);
    if (error == 0)
        ghcomp_os_detach(finder);
    else
        blind();
}

/* --- looking ------------------------------------------------------------------------------------------------------ */

static uint32_t look(void)
{
    uint32_t count = usable(), busy = 0;
    bool all = true;
    for (uint32_t i = 0; i < count; i++) {
        void *capability = ghcomp_load_acquire(&found[i]);
        all = all && capability != NULL;
        busy += capability == NULL || task_of(capability) != NULL;
    }
    if (!all && !ghcomp_load_relaxed(&visibility.finding))
        find();
    return busy;
}

/* Whether another look is due; the caller must then make it. `last` may be later than `now`, if another thread has
   looked in between. */
static inline bool due(_Atomic uint64_t *looked, uint64_t now, int64_t every)
{
    uint64_t last = ghcomp_load_relaxed(looked);
    return (int64_t)(now - last) > every && ghcomp_cas_relaxed(looked, &last, now);
}

uint32_t ghcomp_capabilities_busy(void)
{
    if (!looking())
        return 0;
    if (due(&visibility.looked, ghcomp_cpu_ticks(), LOOK_EVERY_TICKS))
        ghcomp_store_relaxed(&visibility.busy, look());
    return ghcomp_load_relaxed(&visibility.busy);
}

/* Whether one Task holds several Capabilities or, with `or_stopped`, some Capability's Haskell thread has been
   stopped. */
static bool scan(bool or_stopped)
{
    if (!looking())
        return false;
    uint32_t count = usable();
    void *first = NULL;
    for (uint32_t i = 0; i < count; i++) {
        void *capability = ghcomp_load_acquire(&found[i]);
        void *task = capability != NULL ? task_of(capability) : NULL;
        if (task == NULL)
            continue;
        if (task == first || (or_stopped && stopped(capability)))
            return true;
        if (first == NULL)
            first = task;
    }
    return false;
}

bool ghcomp_capabilities_collecting(void)
{
    return scan(true);
}

bool ghcomp_capabilities_held_together_lately(uint64_t ticks, uint32_t within)
{
    enum { TWICE = 2 };
    if (due(&visibility.asked_together, ticks, within)) {
        uint32_t before = ghcomp_load_relaxed(&visibility.together);
        uint32_t now = scan(false) ? (before < TWICE ? before + 1 : before) : 0;
        if (now != before)
            ghcomp_store_relaxed(&visibility.together, now);
    }
    return ghcomp_load_relaxed(&visibility.together) == TWICE;
}

bool ghcomp_capabilities_collecting_lately(uint64_t ticks, uint32_t within)
{
    if (due(&visibility.asked, ticks, within))
        ghcomp_store_relaxed(&visibility.collecting, ghcomp_capabilities_collecting());
    return ghcomp_load_relaxed(&visibility.collecting);
}

/* --- beginning and end -------------------------------------------------------------------------------------------- */

void ghcomp_capabilities_start(void)
{
    if (ghcomp_host()->number_offset == 0 || ghcomp_host()->hold == NULL || ghcomp_load_relaxed(&visibility.started))
        return;
    ghcomp_store_release(&visibility.started, true);
    find();
    /* Waits until the finder has asked for the call at the RTS's end: otherwise a program that calls hs_exit soon would
       end while the finder still runs. Bounded, because the caller may hold the Capability that the finder waits
       for. */
    enum { LOOK_EVERY_NS = 20000, LIMIT_NS = 10000000 };
    if (ghcomp_host()->watch_end == NULL)
        return;
    for (uint64_t begin = ghcomp_os_now(); !ghcomp_load_acquire(&visibility.watched) &&
         ghcomp_load_relaxed(&visibility.finding) && ghcomp_os_now() - begin < LIMIT_NS;)
        ghcomp_os_nap(LOOK_EVERY_NS);
}

void ghcomp_capabilities_forget(void)
{
    ghcomp_store_relaxed(&visibility.forgotten, true);
}
