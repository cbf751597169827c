/* Kinds of threads: which workers may serve which master.
 *
 * A new thread inherits from its maker its scheduling, credentials, sandbox (seccomp filters, no_new_privs),
 * namespaces, and whether it shares its working directory with the process. The members of a region must have these
 * from their master, as in libgomp, where the master makes them: a thread in a sandbox must not have workers outside of
 * it, nor the reverse. So a master's kind is what its new threads would inherit; workers have the kind of their maker;
 * and a master takes workers of its own kind only.
 *
 * Kinds are compared by value (os_attributes.h). Where equal values prove nothing, because the thread is in a sandbox
 * or has a working directory of its own, the kind is *alone*: it belongs to one master. A thread whose attributes
 * cannot be read is alone, too.
 *
 *   1. A thread is examined when it takes workers for the first time, and later when its previous workers do not
 *      suffice (pool.c): a steady state needs no system call.
 *   2. A worker that has served another master is examined before it serves the next one, because it may have changed
 *      itself in a region. If so it ends.
 *   3. A kind without threads is closed: its free workers end at once, and the others when they are given back. The
 *      most recent such kind that is not alone stays open, so that successive short-lived threads find workers.
 *
 * So there are workers for the kinds of living threads, and one more. A thread that changes after its first region
 * keeps its workers, as with libgomp's hot teams (docs/reference/host.md, "Who shares workers").
 *
 * Called by pool.c and worker.c. Covered by test/hostile/whose_workers.c.
 */
#include "core/team/kind.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "host/os.h"

struct ghcomp_kind *ghcomp_kinds;

static struct ghcomp_kind *kept; /* lock pool.lock: the kind that stays open without threads, or NULL */

static uint64_t last; /* lock pool.lock: the number of the newest kind */

/* lock pool.lock. The kind equal to `wanted`, which is added if there is none. */
static struct ghcomp_kind *find(struct ghcomp_kind *wanted)
{
    if (!wanted->alone)
        for (struct ghcomp_kind *kind = ghcomp_kinds; kind != NULL; kind = kind->next)
            if (!kind->alone && memcmp(&kind->is, &wanted->is, sizeof kind->is) == 0)
                return kind;
    wanted->number = ++last;
    wanted->next = ghcomp_kinds;
    ghcomp_kinds = wanted;
    return wanted;
}

/* lock pool.lock */
static void free_if_over(struct ghcomp_kind *kind)
{
    if (!kind->closed || kind->workers != 0)
        return;
    struct ghcomp_kind **at = &ghcomp_kinds;
    while (*at != kind)
        at = &(*at)->next;
    *at = kind->next;
    free(kind);
}

/* lock pool.lock. Closes the kind; returns its free workers, which the caller dismisses. */
static struct ghcomp_thread *close(struct ghcomp_kind *kind)
{
    struct ghcomp_thread *workers = kind->free;
    kind->free = NULL;
    kind->closed = true;
    free_if_over(kind);
    return workers;
}

/* lock pool.lock. Counts a user out of the kind; returns the free workers of a kind that this closes. */
static struct ghcomp_thread *leave(struct ghcomp_kind *kind)
{
    if (--kind->users != 0)
        return NULL;
    if (kind->alone)
        return close(kind);
    struct ghcomp_kind *before = kept;
    kept = kind;
    return before != NULL && before != kind && before->users == 0 ? close(before) : NULL;
}

/* lock pool.lock. Whether the thread is among the kind's users: an unchanged worker is not. */
static bool counted(const struct ghcomp_thread *thread, const struct ghcomp_kind *kind)
{
    return kind != NULL && kind != thread->kin.made_for;
}

struct ghcomp_kind *ghcomp_kind_look(struct ghcomp_thread *thread, bool whole, struct ghcomp_thread **left)
{
    struct ghcomp_kind *before = ghcomp_load_relaxed(&thread->kin.kind), *is = ghcomp_alloc_zeroed(sizeof *is);
    *left = NULL;
    ghcomp_os_attributes(&is->is, whole || before == NULL ? NULL : &before->is);
    if (before != NULL && memcmp(&before->is, &is->is, sizeof is->is) == 0) {
        free(is);
        return before;
    }
    is->alone = is->is.sandboxed || is->is.own_fs;
    pthread_mutex_lock(&ghcomp_pool_lock);
    struct ghcomp_kind *kind = find(is);
    kind->closed = false;
    if (kind != thread->kin.made_for)
        kind->users++;
    if (counted(thread, before))
        *left = leave(before);
    thread->kin.changed = thread->kin.made_for != NULL && kind != thread->kin.made_for;
    ghcomp_store_relaxed(&thread->kin.kind, kind);
    pthread_mutex_unlock(&ghcomp_pool_lock);
    if (kind != is)
        free(is);
    return kind;
}

struct ghcomp_thread *ghcomp_kind_leave(struct ghcomp_thread *thread)
{
    struct ghcomp_thread *workers = NULL;
    struct ghcomp_kind *kind = ghcomp_load_relaxed(&thread->kin.kind);
    if (!counted(thread, kind))
        return NULL;
    pthread_mutex_lock(&ghcomp_pool_lock);
    workers = leave(kind);
    pthread_mutex_unlock(&ghcomp_pool_lock);
    ghcomp_store_relaxed(&thread->kin.kind, NULL);
    return workers;
}

void ghcomp_kind_loses(struct ghcomp_kind *kind)
{
    pthread_mutex_lock(&ghcomp_pool_lock);
    kind->workers--;
    free_if_over(kind);
    pthread_mutex_unlock(&ghcomp_pool_lock);
}

void ghcomp_kind_born(struct ghcomp_thread *worker)
{
    worker->kin.born = ghcomp_os_scheduling(0);
    ghcomp_store_release(&worker->kin.thread, ghcomp_os_thread_id());
}

bool ghcomp_kind_unchanged(const struct ghcomp_thread *worker)
{
    int thread = ghcomp_load_acquire(&worker->kin.thread);
    if (worker->kin.changed)
        return false;
    if (thread == 0)
        return true; /* it has not run yet */
    struct ghcomp_os_scheduling now = ghcomp_os_scheduling(thread);
    return memcmp(&now, &worker->kin.born, sizeof now) == 0 && ghcomp_os_same_fs(thread);
}

void ghcomp_kind_fork_child(const struct ghcomp_thread *thread)
{
    struct ghcomp_kind *own = thread != NULL ? ghcomp_load_relaxed(&thread->kin.kind) : NULL;
    /* The other kinds are lost but not freed, as are the structs of the other threads. A worker that has called fork()
       counts as any other thread. */
    kept = NULL;
    ghcomp_kinds = own;
    if (own == NULL)
        return;
    own->users = counted(thread, own) ? 1 : 0;
    own->workers = thread->kin.made_for == own ? 1 : 0;
    own->free = NULL;
    own->aside = NULL;
    own->asides = 0;
    own->next = NULL;
}
