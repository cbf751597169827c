/* What the Capabilities of the host's RTS do, seen from outside.
 *
 * What is looked at. A Capability is busy while a Task holds it: the word behind its number, `running_task` in GHC's
 * source. (The current Haskell thread would miss the collector and the scheduler.) No header for users says where it
 * is; it has been in the same place since 8.2. That is checked instead of believed: a thread that holds a Capability
 * must find the Capability's number before the word, and in the word the same value each time, whichever Capability it
 * is; and another value when it has given the Capability back. If not, the runtime is unaware from then on, and does
 * everything as it would on POSIX threads.
 *
 * Where they are. Only who holds a Capability is told its address. A *finder*, a thread that does nothing else, takes
 * and gives back each in turn, when the host is chosen and when there are more than it has found. It waits while one is
 * busy, for ever perhaps; so what has not been found counts as busy. Who enters Haskell anyway tells, too
 * (cbits/haskell/capability_claim.c). Capabilities are not moved, nor freed before the RTS ends, when their number changes.
 *
 * How often. The words are Haskell's, on lines that it writes: they are looked at once in a microsecond by whoever asks
 * first (cas_relaxed of the time of the last look; the count that is published is a hint and orders nothing), and who
 * asks in between gets what was seen then. For a collection, who asks says how old the answer may be.
 *
 * `found[i]` is published by store_release of whoever learns it, pairs with load_acquire of who looks; then immutable.
 *
 * Called by core/cpu/cpu_account.c, core/cpu/wait.c, haskell/capability_claim.c. Covered by test/unit/capabilities.c and test/host/.
 */
#include "host/capabilities.h"

#include "base/check.h"
#include "host/host.h"
#include "host/os.h"

enum { MOST = 256, LOOK_EVERY_TICKS = GHCOMP_TICKS_PER_US };

static _Atomic(void *) found[MOST];
static struct {
    _Atomic uint64_t looked GHCOMP_ALIGNED_PAIR; /* ticks at the last look; atomic(relaxed) */
    _Atomic uint32_t busy;                       /* what it saw; atomic(relaxed) */
    _Atomic uint64_t asked GHCOMP_ALIGNED_PAIR;  /* ticks at the last look for a collection; atomic(relaxed) */
    _Atomic bool collecting;                     /* what it saw; atomic(relaxed) */
    _Atomic bool finding;                        /* a finder is at work; xchg_acqrel takes it, store_release ends it */
    _Atomic bool unaware GHCOMP_ALIGNED_PAIR;    /* atomic(relaxed): only ever becomes true */
    _Atomic bool started;                        /* store_release when the host has been chosen; load_acquire */
    _Atomic bool forgotten;                      /* atomic(relaxed): only ever becomes true in a process */
} visibility;

static inline bool looking(void)
{
    return ghcomp_load_acquire(&visibility.started) && !ghcomp_load_relaxed(&visibility.unaware) &&
           !ghcomp_load_relaxed(&visibility.forgotten);
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
    if (ghcomp_load_relaxed(&visibility.unaware))
        return GHCOMP_VISIBILITY_UNAWARE;
    return looking() ? GHCOMP_VISIBILITY_AWARE : GHCOMP_VISIBILITY_NONE;
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
    void *task = NULL;
    bool inside = ghcomp_host_enter(host);
    for (uint32_t i = 0; inside && i < usable() && looking(); i++) {
        if (ghcomp_load_relaxed(&found[i]) != NULL)
            continue;
        void *capability = host->hold(i);
        ghcomp_capability_learn(capability, &task);
        host->release(capability);
        ghcomp_capability_learnt(capability, task);
        /* The RTS gives another one when their number has just become smaller; not each time. */
        if (ghcomp_load_relaxed(&found[i]) == NULL && ++missed > 3)
            blind();
    }
    if (inside) {
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
    if (ghcomp_os_spawn_quiet(&finder, find_all, NULL) != 0)
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

/* Whether it is time to look again, which is then the caller's to do. Another thread may have looked after `now` was
   read: then `last` is the later one. */
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

bool ghcomp_capabilities_collecting(void)
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
        if (task == first || stopped(capability))
            return true;
        if (first == NULL)
            first = task;
    }
    return false;
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
}

void ghcomp_capabilities_forget(void)
{
    ghcomp_store_relaxed(&visibility.forgotten, true);
}
