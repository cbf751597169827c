/* Admission: how many regions of different masters run at a time. Teams are exact: a region gets the threads that it
 * asks for. Sixty-four callers with four threads each would make 192 workers, which two CPUs cannot run. So a master
 * whose region does not fit beside those that run waits until it does; then it finds their workers free (lend.c).
 *
 * Called by team.c. Covered by test/unit/{admission,admission_fork}.c. Explored (test/explore/admission.c): one
 * whole-machine region at a time, and no wake-up of the head is lost once barging is forbidden; two masters with three
 * preemptions, three with two.
 */
#include "core/cpu/admission.h"

#include "core/cpu/wait.h"
#include "core/state/stats.h"
#include "core/trace/trace.h"
#include "host/os.h"

enum {
    PATIENCE_NS = 2000000,
    LIMIT_NS = 5000000,
    TIMEOUTS_MOST = 3,
    SKIP_MS = 100,
    LONGEST_SKIP_MS = 12800,
    AWAY_TICKS = 33 * GHCOMP_TICKS_PER_US
};

struct waiter {
    struct waiter *next;     /* lock queue.lock */
    _Atomic uint32_t head;   /* 1: it is the head; futex word, store_release, load_acquire */
};

static struct {
    pthread_mutex_t lock;
    struct waiter *first, *last;      /* lock queue.lock */
    _Atomic uint32_t asleep GHCOMP_ALIGNED_PAIR; /* futex word: the head sleeps while it is 1 */
    _Atomic bool barging_closed;      /* newcomers queue behind the head; atomic(relaxed), ordered by `asleep` */
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void become_head(struct waiter *waiter)
{
    ghcomp_store_release(&waiter->head, 1u);
    ghcomp_os_wake(&waiter->head, 1);
}

static void stand_in_line(struct waiter *self)
{
    pthread_mutex_lock(&queue.lock);
    if (queue.first == NULL) {
        queue.first = self;
        ghcomp_store_relaxed(&self->head, 1u);
    } else {
        queue.last->next = self;
    }
    queue.last = self;
    pthread_mutex_unlock(&queue.lock);
    while (ghcomp_load_acquire(&self->head) == 0)
        ghcomp_os_sleep(&self->head, 0);
}

static void leave_line(struct waiter *self)
{
    pthread_mutex_lock(&queue.lock);
    queue.first = self->next;
    if (queue.first == NULL)
        queue.last = NULL;
    else
        become_head(queue.first);
    pthread_mutex_unlock(&queue.lock);
}

/* Waits, as the first of the queue, the *head*, until the region fits, and enters it: checks, sets `asleep`
   (xchg_seqcst), checks again and sleeps. It forbids barging when it has waited for PATIENCE; from then on every thread
   that leaves a region wakes it, and the number of recent threads falls as the regions that were admitted end.

   False: that number has reached no new minimum for LIMIT, which is longer than a time slice of the kernel (2.8 ms),
   because a running region may have lost its CPU. Then the head enters although its region does not fit: regions may
   depend on each other, and a running one may wait for the one that waits here. It is not enough that some region ends,
   because some begin and end without admission: inner regions of the running one that waits, regions that adapt
   (dyn-var), regions of one thread. */
static bool wait_until_it_fits(struct ghcomp_account *account, uint32_t threads)
{
    uint64_t begin = ghcomp_os_now(), moved = 0;
    uint32_t fewest = 0;
    bool watching = false; /* whether the minimum is tracked: barging is not allowed */
    for (;;) {
        ghcomp_xchg_seqcst(&queue.asleep, 1u);
        if (ghcomp_cpu_account_enter_if_fits(account, threads)) {
            ghcomp_store_relaxed(&queue.asleep, 0u);
            return true;
        }
        uint64_t now = ghcomp_os_now();
        if (now - begin < PATIENCE_NS && !ghcomp_load_relaxed(&queue.barging_closed)) {
            ghcomp_wait_park_for(&queue.asleep, 1, (uint32_t)(PATIENCE_NS - (now - begin)));
            continue;
        }
        uint32_t recent = ghcomp_cpu_account_counts().recent;
        if (!watching || recent < fewest) {
            fewest = recent;
            moved = now;
        }
        if (!watching) {
            watching = true;
            ghcomp_store_relaxed(&queue.barging_closed, true);
            continue; /* a leaver since the last check may have seen barging allowed */
        }
        if (now - moved >= LIMIT_NS) {
            ghcomp_store_relaxed(&queue.asleep, 0u);
            return false;
        }
        ghcomp_wait_park_for(&queue.asleep, 1, (uint32_t)(LIMIT_NS - (now - moved)));
    }
}

/* A master whose waits end this way TIMEOUTS_MOST times in a row does not wait in the queue for the next SKIP_MS; this
   time doubles with each further one. */
static void timed_out(struct ghcomp_thread *self)
{
    if (++self->admission.timeouts < TIMEOUTS_MOST)
        return;
    self->admission.timeouts = TIMEOUTS_MOST - 1; /* from now on one timeout is enough, until a wait is admitted */
    self->admission.skip_ms = self->admission.skip_ms == 0              ? SKIP_MS
                              : self->admission.skip_ms < LONGEST_SKIP_MS ? 2 * self->admission.skip_ms
                                                                          : LONGEST_SKIP_MS;
    self->admission.skip_until = ghcomp_os_now() / 1000000 + self->admission.skip_ms;
}

static void admitted(struct ghcomp_thread *self)
{
    self->admission.timeouts = self->admission.skip_ms = 0;
    self->admission.skip_until = 0;
}

/* A master whose region fits enters, even when others wait; this is *barging*. A caller that returns at once still has
   a warm team and its CPU, and passing the turn to a sleeping thread costs as much as several short regions. While
   barging is not allowed, newcomers queue behind those that wait. The head allows it again when it enters. A leaver may
   forbid it just after that; then the next master finds an empty queue, and allows it again.

   After a wait without success the running regions are not counted (a new epoch, cpu_account.c), so that regions that
   are long, and not stuck, delay the queue once and not each master again. */
void ghcomp_admission_enter(struct ghcomp_thread *self, struct ghcomp_account *account, uint32_t threads)
{
    self->admission.away = ghcomp_cpu_ticks() - self->admission.left;
    if (!ghcomp_load_relaxed(&queue.barging_closed) && ghcomp_cpu_account_enter_if_fits(account, threads))
        return;
    if (self->admission.skip_until != 0 && ghcomp_os_now() / 1000000 < self->admission.skip_until) {
        ghcomp_cpu_account_enter(account, threads, true);
        return;
    }
    struct waiter waiter = {.next = NULL};
    ghcomp_count_in(&self->counts, GHCOMP_COUNT_REGIONS_QUEUED, 1);
    uint32_t traced = ghcomp_trace_begin(ghcomp_observers_now(), GHCOMP_TRACE_WAIT);
    stand_in_line(&waiter);
    bool fits = wait_until_it_fits(account, threads);
    if (!fits) {
        ghcomp_cpu_account_next_epoch();
        ghcomp_cpu_account_enter(account, threads, true);
        timed_out(self);
        ghcomp_count_in(&self->counts, GHCOMP_COUNT_ADMISSION_TIMEOUTS, 1);
    } else {
        admitted(self);
    }
    ghcomp_store_relaxed(&queue.barging_closed, false);
    leave_line(&waiter);
    ghcomp_trace_end(GHCOMP_TRACE_WAIT, traced);
}

/* The leaver has changed the account (cas_seqcst), and then reads `asleep` (load_seqcst): either the head's check comes
   after that cas and sees the free CPUs, or the leaver sees `asleep`. While barging is allowed, a leaver that will
   probably return soon, because its last two regions were less than AWAY_TICKS apart, does not wake the head, which
   would usually find that the leaver has entered again; another one forbids barging and wakes it. So masters take turns
   of about PATIENCE each, with any number of regions, and one that has a single region does not delay the queue. */
void ghcomp_admission_moved(struct ghcomp_thread *self, bool outermost)
{
    if (outermost)
        self->admission.left = ghcomp_cpu_ticks();
    if (ghcomp_likely(ghcomp_load_seqcst(&queue.asleep) == 0))
        return;
    if (!ghcomp_load_relaxed(&queue.barging_closed)) {
        if (!outermost || self->admission.away < AWAY_TICKS)
            return;
        ghcomp_store_relaxed(&queue.barging_closed, true);
    }
    if (ghcomp_xchg_seqcst(&queue.asleep, 0u) == 1)
        ghcomp_os_wake(&queue.asleep, 1);
}

/* --- fork() ------------------------------------------------------------------------------------------------------- */

void ghcomp_admission_fork_prepare(void)
{
    pthread_mutex_lock(&queue.lock);
}

void ghcomp_admission_fork_parent(void)
{
    pthread_mutex_unlock(&queue.lock);
}

void ghcomp_admission_fork_child(void)
{
    pthread_mutex_init(&queue.lock, NULL);
    queue.first = queue.last = NULL;
    ghcomp_store_relaxed(&queue.asleep, 0u);
    ghcomp_store_relaxed(&queue.barging_closed, false);
}
