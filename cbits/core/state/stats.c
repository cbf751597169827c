/* Statistics of the process.
 *
 * Each thread has its own counters and changes them without locked instructions (load_relaxed, store_relaxed). A reader
 * adds up the counters of all threads on a list, and one sum for the threads that have ended; `stats.lock` guards both.
 * Counters may change while they are summed.
 *
 * Called by thread.c, pool.c, worker.c, abi/ghcomp/ghcomp_api.c. Covered by test/unit/stats.c.
 */
#include "core/state/stats.h"

#include "core/state/types.h"

static struct {
    pthread_mutex_t lock;
    struct ghcomp_thread *first;      /* lock stats.lock: linked by stats.next and stats.prev */
    uint64_t gone[GHCOMP_COUNTERS];   /* lock stats.lock */
} stats = {.lock = PTHREAD_MUTEX_INITIALIZER};

void ghcomp_stats_add_thread(struct ghcomp_thread *thread)
{
    pthread_mutex_lock(&stats.lock);
    thread->stats.prev = NULL;
    thread->stats.next = stats.first;
    if (stats.first != NULL)
        stats.first->stats.prev = thread;
    stats.first = thread;
    pthread_mutex_unlock(&stats.lock);
}

static void add(uint64_t sums[], const struct ghcomp_counts *counts)
{
    for (int i = 0; i < GHCOMP_COUNTERS; i++)
        sums[i] += ghcomp_load_relaxed(&counts->of[i]);
}

void ghcomp_stats_remove_thread(struct ghcomp_thread *thread)
{
    pthread_mutex_lock(&stats.lock);
    add(stats.gone, &thread->counts);
    if (thread->stats.prev != NULL)
        thread->stats.prev->stats.next = thread->stats.next;
    else
        stats.first = thread->stats.next;
    if (thread->stats.next != NULL)
        thread->stats.next->stats.prev = thread->stats.prev;
    pthread_mutex_unlock(&stats.lock);
}

void ghcomp_stats_sum(uint64_t sums[GHCOMP_COUNTERS])
{
    pthread_mutex_lock(&stats.lock);
    for (int i = 0; i < GHCOMP_COUNTERS; i++)
        sums[i] = stats.gone[i];
    for (const struct ghcomp_thread *thread = stats.first; thread != NULL; thread = thread->stats.next)
        add(sums, &thread->counts);
    pthread_mutex_unlock(&stats.lock);
}

/* --- fork() ------------------------------------------------------------------------------------------------------- */

void ghcomp_stats_fork_prepare(void)
{
    pthread_mutex_lock(&stats.lock);
}

void ghcomp_stats_fork_parent(void)
{
    pthread_mutex_unlock(&stats.lock);
}

void ghcomp_stats_fork_child(struct ghcomp_thread *self)
{
    for (const struct ghcomp_thread *thread = stats.first; thread != NULL; thread = thread->stats.next)
        if (thread != self)
            add(stats.gone, &thread->counts);
    if (self != NULL)
        self->stats.next = self->stats.prev = NULL;
    stats.first = self;
    pthread_mutex_init(&stats.lock, NULL);
}
