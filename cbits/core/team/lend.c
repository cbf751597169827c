/* Lending: idle workers of one master's team go to another master that needs them.
 *
 * A master keeps its team, with its workers, for its next region. In a process with many masters most of these teams
 * idle, with far more threads than ever run at a time. So the master offers its team between regions: where
 * GHCOMP_SHARE says so, and also with dyn-var on (thread-private data need not persist then), unless GHCOMP_SHARE is
 * `sticky`.
 *
 *   KEPT -> IDLE    by the master after the join: store_release, pairs with the taker's cas_acquire. The workers are
 *                   between regions, as the join has seen, and their mailboxes are for the taker to write.
 *   IDLE -> KEPT    by the master at its next region: cas_acquire. There is no other step while no master needs the
 *                   workers.
 *   IDLE -> TAKEN   by another master, which holds `lend.lock`: cas_acquire. It unlinks the team from the list.
 *   TAKEN -> KEPT   by the same, when the workers are in the pool: store_release, pairs with the master's load_acquire.
 *                   A master that finds its team TAKEN waits until then; it has no workers then, and takes some. It
 *                   polls, and naps when that takes longer than a lock is held: the taker may lack this very CPU.
 *
 * lend.gather lets one master at a time take teams, or give up a team that it has offered. A master that finds no
 * worker meanwhile waits and checks the pool again: teams are taken whole, so workers may be left over. So a worker is
 * made only when all existing ones have work or were taken by another master.
 *
 * The list has the teams with workers whose master has offered them at least once; they stay on it while they are in
 * use. lend.lock guards it. Lock order: lend.gather, lend.lock, pool.lock.
 *
 * Called by team.c and pool.c. Covered by test/unit/lend.c. Explored (test/explore/lend.c): each region has its own
 * workers, and none is made needlessly; two masters, or three, one preemption and random schedules.
 */
#include "core/team/lend.h"

#include "core/cpu/cpu_account.h"
#include "core/cpu/wait.h"
#include "core/state/settings.h"
#include "core/team/team.h"
#include "core/trace/trace.h"
#include "host/os.h"

static struct {
    pthread_mutex_t gather; /* recursive: members of a team that is given up have teams of their own */
    _Atomic uint32_t gathering; /* threads that take or give up teams, or wait to; atomic(relaxed): a hint, ordered by
                                   `first` and by pool.lock */
    pthread_mutex_t lock;
    /* lock lend.lock; linked by lend_next, lend_prev. Without the lock, load_acquire, pairs with the store_release of
       its changes: a thread that finds the list empty also sees the threads in `gathering` that emptied it. */
    struct ghcomp_team *_Atomic first;
} lend = {.gather = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, .lock = PTHREAD_MUTEX_INITIALIZER};

/* lock lend.lock */
static void unlink_team(struct ghcomp_team *team)
{
    if (team->lend_prev != NULL)
        team->lend_prev->lend_next = team->lend_next;
    else
        ghcomp_store_release(&lend.first, team->lend_next);
    if (team->lend_next != NULL)
        team->lend_next->lend_prev = team->lend_prev;
    team->lend_next = team->lend_prev = NULL;
    team->listed = false;
}

void ghcomp_lend_reclaim_slow(struct ghcomp_team *team)
{
    enum { NAP_NS = 50000 };
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_LOCK);
    uint32_t idle;
    do {
        while (ghcomp_load_acquire(&team->lent) == GHCOMP_LENT_TAKEN)
            if (!ghcomp_spin_again(&spin))
                ghcomp_os_nap(NAP_NS);
        idle = GHCOMP_LENT_IDLE;
    } while (ghcomp_load_acquire(&team->lent) != GHCOMP_LENT_KEPT &&
             !ghcomp_cas_acquire(&team->lent, &idle, (uint32_t)GHCOMP_LENT_KEPT));
}

void ghcomp_lend_offer(struct ghcomp_team *team)
{
    if (ghcomp_unlikely(!team->listed)) {
        pthread_mutex_lock(&lend.lock);
        team->lend_prev = NULL;
        struct ghcomp_team *first = ghcomp_load_relaxed(&lend.first);
        team->lend_next = first;
        if (first != NULL)
            first->lend_prev = team;
        ghcomp_store_release(&lend.first, team);
        team->listed = true;
        pthread_mutex_unlock(&lend.lock);
    }
    ghcomp_store_relaxed(&team->lends, ghcomp_load_relaxed(&team->master.thread->kin.kind));
    ghcomp_store_release(&team->lent, (uint32_t)GHCOMP_LENT_IDLE);
}

void ghcomp_lend_after(struct ghcomp_team *team, const struct ghcomp_member *encountering, bool dynamic)
{
    if (team->size > 1 && encountering->team->level == 0 &&
        (ghcomp_load_relaxed(&ghcomp_cpu_account_shared) || (dynamic && ghcomp_settings.share != GHCOMP_SHARE_STICKY)))
        ghcomp_lend_offer(team);
}

static void begin_gathering(void)
{
    ghcomp_add_relaxed(&lend.gathering, 1u);
    pthread_mutex_lock(&lend.gather);
}

static void end_gathering(void)
{
    pthread_mutex_unlock(&lend.gather);
    ghcomp_sub_relaxed(&lend.gathering, 1u);
}

bool ghcomp_lend_retire(struct ghcomp_team *team)
{
    bool offered = ghcomp_load_acquire(&team->lent) != GHCOMP_LENT_KEPT;
    if (offered)
        begin_gathering();
    ghcomp_lend_reclaim(team);
    if (team->listed) {
        pthread_mutex_lock(&lend.lock);
        unlink_team(team);
        pthread_mutex_unlock(&lend.lock);
    }
    return offered;
}

void ghcomp_lend_retired(bool offered)
{
    if (offered)
        end_gathering();
}

/* Takes an idle team whose master is of the kind: unlinks it and makes it TAKEN. NULL: there is none. */
static struct ghcomp_team *take_team(const struct ghcomp_kind *kind)
{
    pthread_mutex_lock(&lend.lock);
    struct ghcomp_team *team = ghcomp_load_relaxed(&lend.first);
    for (; team != NULL; team = team->lend_next) {
        uint32_t idle = GHCOMP_LENT_IDLE;
        if (ghcomp_load_relaxed(&team->lent) == GHCOMP_LENT_IDLE &&
            ghcomp_load_relaxed(&team->lends) == kind &&
            ghcomp_cas_acquire(&team->lent, &idle, (uint32_t)GHCOMP_LENT_TAKEN))
            break;
    }
    if (team != NULL)
        unlink_team(team);
    pthread_mutex_unlock(&lend.lock);
    return team;
}

bool ghcomp_lend_any(void)
{
    return ghcomp_load_acquire(&lend.first) != NULL || ghcomp_load_relaxed(&lend.gathering) != 0;
}

bool ghcomp_lend_collect(const struct ghcomp_kind *kind, uint32_t count)
{
    uint32_t got = 0;
    struct ghcomp_team *team;
    begin_gathering();
    while (got < count && (team = take_team(kind)) != NULL) {
        got += ghcomp_team_dismiss(team);
        ghcomp_store_release(&team->lent, (uint32_t)GHCOMP_LENT_KEPT);
    }
    end_gathering();
    if (got == 0)
        return false;
    ghcomp_count_in(&ghcomp_self()->thread->counts, GHCOMP_COUNT_LENT, got);
    ghcomp_trace_moment(ghcomp_observers_now(), GHCOMP_TRACE_LEND, got);
    return true;
}

/* --- fork() ------------------------------------------------------------------------------------------------------- */

void ghcomp_lend_fork_prepare(void)
{
    pthread_mutex_lock(&lend.gather);
    pthread_mutex_lock(&lend.lock);
}

void ghcomp_lend_fork_parent(void)
{
    pthread_mutex_unlock(&lend.lock);
    pthread_mutex_unlock(&lend.gather);
}

void ghcomp_lend_fork_child(void)
{
    lend.gather = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    ghcomp_store_relaxed(&lend.gathering, 0u);
    pthread_mutex_init(&lend.lock, NULL);
    ghcomp_store_relaxed(&lend.first, NULL); /* the list has the parent's teams, which have no workers in the child */
}
