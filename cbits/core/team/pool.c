/* The process-wide pool of workers.
 *
 * These threads may write a worker's mail (worker.c): the one that took it from the pool (lock `pool.lock` orders
 * giving before taking), and from then on the master of its team, between the join of one region and the fork of the
 * next, or on the master's behalf, in a large team, the member that passes the region on (fork_tree.c).
 *
 *   1. A master takes workers (ghcomp_pool_take), or has them in its hot team.
 *   2. It fills each mailbox and exchanges its word (ghcomp_mailbox_post): the worker's load_acquire of the word sees
 *      the mail and the team as the master left them.
 *   3. The worker runs the region's function and subtracts itself from team.unfinished (team.c). From that moment the
 *      team is the master's to use again; the worker touches no more of it than the region's door, by which it may come
 *      back to help with tasks, and the eventcount (task_team.c).
 *   4. The master keeps it, or gives it back (ghcomp_pool_give).
 *
 * An errand is a mail without a team (ghcomp_pool_send).
 *
 * Covered by test/unit/{team,lend}.c, test/conformance/parallel, test/conformance/process/fork*.c and
 * test/hostile/whose_workers.c.
 */
#include "core/team/pool.h"

#include <errno.h>
#include <string.h>

#include "core/cpu/cpu_account.h"
#include "core/cpu/wait.h"
#include "core/observe/fast_self.h"
#include "core/state/settings.h"
#include "core/team/agents.h"
#include "core/team/kind.h"
#include "core/team/lend.h"
#include "core/team/worker.h"
#include "core/trace/trace.h"

pthread_mutex_t ghcomp_pool_lock = PTHREAD_MUTEX_INITIALIZER; /* "pool.lock" in comments */

static struct {
    struct ghcomp_team *teams;    /* lock pool.lock: unused team structs, linked by `unused` */
    uint32_t created;             /* lock pool.lock: workers made in this process */
    uint32_t numbered;            /* lock pool.lock: the last number reserved for a worker, whether it could be made or
                                     not */
} pool;

uint32_t ghcomp_process_generation;

/* --- taking ------------------------------------------------------------------------------------------------------- */

/* lock pool.lock. Takes free workers whose last master has that name. */
static uint32_t take_own(struct ghcomp_kind *kind, uint64_t name, struct ghcomp_thread **workers, uint32_t count)
{
    uint32_t got = 0;
    struct ghcomp_thread **at = &kind->free;
    while (got < count && *at != NULL) {
        struct ghcomp_thread *worker = *at;
        if (ghcomp_unlikely(worker->kin.served != name)) {
            at = &worker->next;
            continue;
        }
        workers[got++] = worker;
        ghcomp_store_relaxed(&worker->free, false);
        *at = worker->next;
    }
    return got;
}

/* lock pool.lock */
static uint32_t take_any(struct ghcomp_kind *kind, struct ghcomp_thread **workers, uint32_t count)
{
    uint32_t got = 0;
    while (got < count && kind->free != NULL) {
        workers[got++] = kind->free;
        ghcomp_store_relaxed(&kind->free->free, false);
        kind->free = kind->free->next;
    }
    return got;
}

/* Takes free workers of the kind, and then those that other masters lend. */
static uint32_t take_shared(struct ghcomp_kind *kind, struct ghcomp_thread **workers, uint32_t count)
{
    pthread_mutex_lock(&ghcomp_pool_lock);
    uint32_t got = take_any(kind, workers, count);
    /* Another master may take what this one has collected; then there may be more to collect. */
    for (bool more = true; more && got < count && ghcomp_lend_any();) {
        pthread_mutex_unlock(&ghcomp_pool_lock);
        more = ghcomp_lend_collect(kind, count - got);
        pthread_mutex_lock(&ghcomp_pool_lock);
        got += take_any(kind, workers + got, count - got);
    }
    pthread_mutex_unlock(&ghcomp_pool_lock);
    return got;
}

/* Ends the workers that have changed in another master's regions. Returns the number of the others, which now belong to
   this master. */
static uint32_t keep_unchanged(uint64_t name, struct ghcomp_thread **workers, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct ghcomp_thread *worker = workers[i];
        if (worker->kin.served != name && !ghcomp_kind_unchanged(worker)) {
            ghcomp_os_detach(worker->handle);
            ghcomp_worker_dismiss(worker);
            continue;
        }
        worker->kin.served = name;
        workers[kept++] = worker;
    }
    return kept;
}

static struct ghcomp_kind *look(struct ghcomp_thread *master, bool whole)
{
    struct ghcomp_thread *left;
    struct ghcomp_kind *kind = ghcomp_kind_look(master, whole, &left);
    ghcomp_worker_dismiss_list(left);
    return kind;
}

const struct ghcomp_kind *ghcomp_pool_kind(struct ghcomp_thread *thread, bool whole)
{
    return look(thread, whole || ghcomp_load_relaxed(&thread->kin.kind) == NULL);
}

bool ghcomp_pool_serves_others(struct ghcomp_thread *worker)
{
    worker->kin.served = 0;
    return look(worker, true) == worker->kin.made_for && !worker->kin.changed;
}

/* Makes workers, in descending order of their numbers. On a busy machine new threads run one after the other, in the
   order in which they were made. In ascending order a team's work would often happen to be done in order, and a program
   might rely on it (GCC's target-nowait-array-section.f90 recognises asynchronous work by its disorder). */
static uint32_t make(const struct ghcomp_thread *master, struct ghcomp_thread **workers, uint32_t count, bool patient,
                     int *error)
{
    struct ghcomp_kind *kind = ghcomp_load_relaxed(&master->kin.kind);
    pthread_mutex_lock(&ghcomp_pool_lock);
    uint32_t first = pool.numbered + 1;
    pool.numbered += count;
    pool.created += count;
    kind->workers += count;
    pthread_mutex_unlock(&ghcomp_pool_lock);
    ghcomp_pool_host();
    uint32_t made = 0;
    while (made < count &&
           (workers[count - 1 - made] = ghcomp_worker_create(first + count - 1 - made, master, patient, error)) != NULL)
        made++;
    if (made == count)
        return made;
    memmove(workers, workers + count - made, made * sizeof *workers);
    pthread_mutex_lock(&ghcomp_pool_lock);
    pool.created -= count - made;
    kind->workers -= count - made;
    pthread_mutex_unlock(&ghcomp_pool_lock);
    return made;
}

/* Which workers a take may create. */
enum makes {
    MAKES_ALL,
    MAKES_AT_ONCE,  /* all, by one attempt for each */
    MAKES_POSSIBLE,
    MAKES_NONE,
    MAKES_AGENT     /* as MAKES_POSSIBLE, but recalls no other agents */
};

static uint32_t make_if(enum makes makes, const struct ghcomp_thread *master, struct ghcomp_thread **workers,
                        uint32_t count, int *error)
{
    bool all = makes == MAKES_ALL || makes == MAKES_AT_ONCE;
    if (all || (makes != MAKES_NONE && ghcomp_os_threads_within_limits(count)))
        return make(master, workers, count, makes != MAKES_AT_ONCE, error);
    *error = EAGAIN;
    return 0;
}

/* Takes or makes the workers that the master's own free ones (`own`) leave missing. If the master turns out to be of
   another kind now, the workers taken for the old kind go back. */
static __attribute__((noinline)) uint32_t take_more(struct ghcomp_thread *master, struct ghcomp_thread **workers,
                                                    uint32_t own, uint32_t count, int *error, enum makes makes)
{
    static _Atomic uint64_t names; /* atomic(relaxed): only the numbers differ */
    /* Masters that lend each other workers run this in every second region. */
    bool whole = ghcomp_load_relaxed(&master->kin.kind) == NULL || !ghcomp_lend_any();
    struct ghcomp_kind *kind = look(master, whole);
    uint32_t got = own;
    if (master->kin.name == 0)
        master->kin.name = ghcomp_add_relaxed(&names, 1u) + 1;
    uint32_t recalls = makes != MAKES_AGENT ? 3 : 0; /* another master may take the agent that has come back */
    while (got < count) {
        uint32_t more = take_shared(kind, workers + got, count - got);
        uint32_t kept = keep_unchanged(master->kin.name, workers + got, more);
        got += kept;
        if (got == count || kept < more)
            continue;
        if (recalls != 0 && ghcomp_agents_recall()) {
            recalls--;
            continue;
        }
        struct ghcomp_kind *before = kind;
        if (whole || (kind = look(master, true)) == before)
            return got + make_if(makes, master, workers + got, count - got, error);
        whole = true;
        ghcomp_pool_give(workers + own, got - own);
        got = own;
    }
    return got;
}

static inline uint32_t take(struct ghcomp_thread **workers, uint32_t count, int *error, enum makes makes)
{
    struct ghcomp_thread *master = ghcomp_self()->thread;
    struct ghcomp_kind *kind = ghcomp_load_relaxed(&master->kin.kind);
    uint32_t got = 0;
    *error = 0;
    if (ghcomp_likely(kind != NULL)) {
        pthread_mutex_lock(&ghcomp_pool_lock);
        got = take_own(kind, master->kin.name, workers, count);
        pthread_mutex_unlock(&ghcomp_pool_lock);
    }
    return ghcomp_likely(got == count) ? got : take_more(master, workers, got, count, error, makes);
}

uint32_t ghcomp_pool_take(struct ghcomp_thread **workers, uint32_t count, int *error)
{
    return take(workers, count, error, MAKES_ALL);
}

uint32_t ghcomp_pool_take_at_once(struct ghcomp_thread **workers, uint32_t count, int *error)
{
    return take(workers, count, error, MAKES_AT_ONCE);
}

uint32_t ghcomp_pool_take_limited(struct ghcomp_thread **workers, uint32_t count, int *error, bool makes)
{
    return take(workers, count, error, makes ? MAKES_POSSIBLE : MAKES_NONE);
}

bool ghcomp_pool_take_agent(struct ghcomp_thread **worker)
{
    int error;
    return take(worker, 1, &error, MAKES_AGENT) == 1;
}

void ghcomp_pool_send(struct ghcomp_thread *worker, void (*fn)(void *), void *data)
{
    worker->mail.team = NULL;
    worker->mail.fn = fn;
    worker->mail.data = data;
    worker->mail.cpu = -1;
    worker->mail.float_control = ghcomp_float_control();
    if (ghcomp_mailbox_post(worker))
        ghcomp_mailbox_wake(worker);
}

/* --- giving back, and ending -------------------------------------------------------------------------------------- */

void ghcomp_pool_give(struct ghcomp_thread **workers, uint32_t count)
{
    struct ghcomp_thread *ending = NULL;
    if (count == 0)
        return;
    for (uint32_t i = 0; i < count; i++)
        ghcomp_store_relaxed(&workers[i]->free, true);
    pthread_mutex_lock(&ghcomp_pool_lock);
    for (uint32_t i = count; i-- > 0;) {
        struct ghcomp_thread *worker = workers[i];
        struct ghcomp_kind *kind = worker->kin.made_for;
        struct ghcomp_thread **list = ghcomp_unlikely(kind->closed) ? &ending : &kind->free;
        worker->next = *list;
        *list = worker;
    }
    pthread_mutex_unlock(&ghcomp_pool_lock);
    if (ghcomp_unlikely(ending != NULL))
        ghcomp_worker_dismiss_list(ending);
}

void ghcomp_pool_leave(struct ghcomp_thread *thread)
{
    ghcomp_worker_dismiss_list(ghcomp_kind_leave(thread));
}

void ghcomp_pool_dismiss_reported(void)
{
    uint32_t count = 0;
    pthread_mutex_lock(&ghcomp_pool_lock);
    for (const struct ghcomp_kind *kind = ghcomp_kinds; kind != NULL; kind = kind->next)
        for (const struct ghcomp_thread *worker = kind->free; worker != NULL; worker = worker->next)
            count++;
    pthread_mutex_unlock(&ghcomp_pool_lock);
    ghcomp_worker_expect_reports(count);
    ghcomp_pool_dismiss();
    ghcomp_worker_await_reports();
}

/* Empties the lists of free workers of all kinds; returns the workers as one list. */
static struct ghcomp_thread *take_all_free(void)
{
    struct ghcomp_thread *workers = NULL;
    pthread_mutex_lock(&ghcomp_pool_lock);
    for (struct ghcomp_kind *kind = ghcomp_kinds; kind != NULL; kind = kind->next) {
        struct ghcomp_thread **end = &kind->free;
        while (*end != NULL)
            end = &(*end)->next;
        *end = workers;
        workers = kind->free;
        kind->free = NULL;
    }
    pthread_mutex_unlock(&ghcomp_pool_lock);
    return workers;
}

void ghcomp_pool_dismiss(void)
{
    ghcomp_worker_dismiss_list(take_all_free());
}

/* Ends the workers of a list, and returns when they have ended, or after two seconds. */
static void end_all(struct ghcomp_thread *worker)
{
    enum { TOGETHER = 64 }; /* dismisses so many before it waits for the first one */
    pthread_t ending[TOGETHER];
    uint64_t left_ns = 2000000000;
    while (worker != NULL) {
        uint32_t count = 0;
        for (; count < TOGETHER && worker != NULL; worker = ghcomp_worker_dismiss(worker))
            ending[count++] = worker->handle;
        for (uint32_t i = 0; i < count; i++)
            left_ns = ghcomp_os_join(ending[i], left_ns);
    }
}

void ghcomp_pool_join(void)
{
    end_all(take_all_free());
}

void ghcomp_pool_take_back(struct ghcomp_thread **workers, uint32_t count)
{
    uint32_t served = 0;
    struct ghcomp_thread *unused = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (workers[i]->served.team != NULL) {
            workers[served++] = workers[i];
        } else {
            workers[i]->next = unused;
            unused = workers[i];
        }
    }
    ghcomp_pool_give(workers, served);
    end_all(unused);
}

void ghcomp_pool_keep_team(struct ghcomp_team *team)
{
    pthread_mutex_lock(&ghcomp_pool_lock);
    team->unused = pool.teams;
    pool.teams = team;
    pthread_mutex_unlock(&ghcomp_pool_lock);
}

struct ghcomp_team *ghcomp_pool_reuse_team(void)
{
    pthread_mutex_lock(&ghcomp_pool_lock);
    struct ghcomp_team *team = pool.teams;
    if (team != NULL)
        pool.teams = team->unused;
    pthread_mutex_unlock(&ghcomp_pool_lock);
    return team;
}

uint32_t ghcomp_pool_created(void)
{
    pthread_mutex_lock(&ghcomp_pool_lock);
    uint32_t created = pool.created;
    pthread_mutex_unlock(&ghcomp_pool_lock);
    return created;
}

/* An RTS that the runtime boots has a Capability for each CPU, or fewer when OMP_NUM_THREADS asks for fewer threads:
   more would only give the collector more to stop. 256 is GHC's own limit. */
const struct ghcomp_host *ghcomp_pool_host(void)
{
    uint32_t capabilities = ghcomp_global.num_cpus < 256 ? ghcomp_global.num_cpus : 256;
    if (ghcomp_global.nthreads_set && ghcomp_global.initial.nthreads < capabilities)
        capabilities = ghcomp_global.initial.nthreads;
    ghcomp_host_select(ghcomp_settings.host, capabilities);
    ghcomp_cpu_account_start();
    ghcomp_trace_start();
    return ghcomp_host();
}

void ghcomp_pool_fork_prepare(void)
{
    pthread_mutex_lock(&ghcomp_pool_lock);
}

void ghcomp_pool_fork_parent(void)
{
    pthread_mutex_unlock(&ghcomp_pool_lock);
}

void ghcomp_pool_fork_child(const struct ghcomp_thread *thread)
{
    /* The child has no workers. Their structs are not freed, which would only touch every page. */
    ghcomp_kind_fork_child(thread);
    pool.created = pool.numbered = 0;
    ghcomp_wait_fork_child();
    ghcomp_process_generation++;
    pthread_mutex_init(&ghcomp_pool_lock, NULL);
}
