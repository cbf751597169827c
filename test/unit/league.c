/* Leagues whose teams run beside each other, from inside: what a member is in a team and after it, the order of the
   teams, leagues of many threads at once and in regions, threads that come and go, fork(). Runs under ASan+UBSan and
   TSan. */
#include "process.h"

#include <pthread.h>
#include <string.h>

#include "core/task/task.h"
#include "core/team/league.h"
#include "core/team/target.h"
#include "core/team/team.h"

enum { TEAMS = 9, TURNS = 20, THREADS = 4 };

static _Atomic int ran;

static void count(void *data)
{
    (void)data;
    ghcomp_add_relaxed(&ran, 1);
}

static void league(void (*fn)(void *), void *data, uint32_t teams, uint32_t thread_limit)
{
    ghcomp_league_run_at_once(fn, data, &(struct ghcomp_league_clauses){teams, thread_limit, GHCOMP_BIND_SPREAD, true});
}

/* --- what a member is --------------------------------------------------------------------------------------------- */

struct seen {
    _Atomic int times[TEAMS];
    struct ghcomp_thread *master;
    uint32_t nthreads, limit;
};

static void check_team(void *data)
{
    struct seen *seen = data;
    struct ghcomp_member *self = ghcomp_self();
    struct ghcomp_team *team = self->team;
    CHECK(team->parent == NULL && team->level == 0 && team->size == 1 && team->league_size == TEAMS);
    CHECK(team->members[0] == self && self->thread->in_group != NULL);
    CHECK_EQUAL(1, ghcomp_load_relaxed(&self->thread->in_group->threads));
    CHECK(team->league_num != 0 || self->thread == seen->master);
    ghcomp_add_relaxed(&seen->times[team->league_num], 1);
    const struct ghcomp_icvs *icv = self->task->icv;
    CHECK_EQUAL(seen->limit, icv->thread_limit);
    CHECK(icv->nthreads <= seen->nthreads);
    CHECK(icv->nthreads == seen->nthreads || icv->nthreads_whole == seen->nthreads);
    ghcomp_icv_own(self->task)->nthreads = 2;
    ghcomp_team_parallel(count, NULL, 0, 0);
    CHECK(self == ghcomp_self() && team->level == 0);
}

static void one_league(uint32_t thread_limit)
{
    struct ghcomp_member *self = ghcomp_self();
    struct ghcomp_group *group = self->thread->in_group;
    struct ghcomp_icvs before = *self->task->icv;
    struct seen seen = {.master = self->thread, .nthreads = before.nthreads,
                        .limit = thread_limit != 0 ? thread_limit : before.thread_limit};
    uint32_t threads = ghcomp_load_relaxed(&group->threads);
    league(check_team, &seen, TEAMS, thread_limit);
    for (int i = 0; i < TEAMS; i++)
        CHECK_EQUAL(1, ghcomp_load_relaxed(&seen.times[i]));
    CHECK(ghcomp_self() == self && self->thread->in_group == group && self->thread->initial.innermost == NULL);
    CHECK_EQUAL(threads, ghcomp_load_relaxed(&group->threads));
    CHECK(memcmp(&before, self->task->icv, sizeof before) == 0);
    CHECK(self->team->parent != NULL || (self->team->league_num == 0 && self->team->league_size == 1));
}

static void *leagues(void *data)
{
    for (int i = 0; i < TURNS; i++) {
        one_league(i % 2 == 0 ? 0 : 7);
        ghcomp_team_parallel(count, NULL, 1 + (uint32_t)i % 3, 0);
    }
    return data;
}

static void leagues_in_region(void *data)
{
    leagues(data);
}

static void test_teams(void)
{
    ran = 0;
    leagues(NULL);
    int each = ran;
    CHECK(each >= TURNS * TEAMS);
    ghcomp_team_parallel(leagues_in_region, NULL, THREADS, 0);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, leagues, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

/* --- what it does without ----------------------------------------------------------------------------------------- */

static uint32_t next;

static void in_order(void *data)
{
    CHECK(ghcomp_self()->thread == data && ghcomp_self()->team->league_num == next);
    next++;
}

static void in_target(void *data)
{
    next = 0;
    league(in_order, data, TEAMS, 0);
    CHECK_EQUAL(TEAMS, next);
}

/* No second thread is allowed: all teams are on the encountering one. */
static void test_alone(void)
{
    struct ghcomp_member *self = ghcomp_self();
    struct ghcomp_icvs *icv = ghcomp_icv_own(self->task), before = *icv;
    icv->max_active_levels = 0;
    in_target(self->thread);
    *icv = before;
    icv->thread_limit = 1;
    in_target(self->thread);
    *icv = before;
    ghcomp_target_run(in_target, self->thread, 1);
    next = 0;
    ghcomp_league_run(in_order, self->thread, &(struct ghcomp_league_clauses){TEAMS, 0, GHCOMP_BIND_FALSE, false});
    CHECK_EQUAL(TEAMS, next);
    next = 0;
    league(in_order, self->thread, 1, 0);
    CHECK_EQUAL(1, next);
}

/* --- fork() ------------------------------------------------------------------------------------------------------- */

static pid_t child;

static void fork_in_team(void *data)
{
    if (ghcomp_self()->team->league_num == 0) {
        child = fork();
        CHECK(child >= 0);
        ghcomp_team_parallel(count, data, 3, 0);
    }
}

static void test_fork(void)
{
#ifndef __SANITIZE_THREAD__ /* TSan cannot start threads in the child of a process with threads */
    if (unit_without("fork"))
        return;
    ran = 0;
    league(fork_in_team, NULL, 2, 0);
    CHECK_EQUAL(3, ran);
    leagues(NULL);
    ghcomp_team_parallel(count, NULL, 4, 0);
    if (child == 0)
        _exit(0);
    CHECK_EQUAL(0, status_of(child));
#else
    (void)fork_in_team;
#endif
}

int main(void)
{
    test_teams();
    test_alone();
    test_fork();
    return 0;
}
