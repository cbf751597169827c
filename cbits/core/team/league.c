/* Teams regions (leagues) on the host: the teams run one after the other on the encountering thread.
 *
 * OpenMP 5.2, section 10.2, lets an implementation run the teams of a league in any order and gives them no way to wait
 * for each other. Each team is a contention group of its own with an initial thread whose ICVs are the encountering
 * task's; what one team sets is gone in the next.
 *
 * In a target region the loop over the teams is the compiler's code. The ICVs that they start with are kept in the
 * initial team's icv_storage, which no parallel region uses there.
 *
 * Where threads are bound, a team's initial thread has a place and a part of the places: for gcc's code those of the
 * encountering thread, as in libgomp; for clang's what a member of a region with KMP_TEAMS_PROC_BIND would have, as in
 * libomp. So each team in turn moves the thread, and the end of the league moves it back.
 *
 * Without a num_teams clause, OMP_NUM_TEAMS and omp_set_num_teams, a league on the host has as many teams as in
 * libgomp, so that a program finds the same number under both.
 *
 * Called by abi/gomp/gomp_teams.c and abi/gomp/gomp_target.c. Covered by test/conformance/teams and
 * test/conformance/target.
 */
#include "core/team/league.h"

#include <limits.h>

#include "core/affinity/affinity.h"
#include "core/team/target.h"
#include "core/tool/tool.h"

enum { UNCHOSEN_TEAMS = 3 };

static uint32_t limit_icv(uint32_t thread_limit)
{
    return thread_limit > INT_MAX ? GHCOMP_NO_LIMIT : thread_limit;
}

void ghcomp_league_run(void (*fn)(void *), void *data, uint32_t num_teams, uint32_t thread_limit, enum ghcomp_bind bind)
{
    struct ghcomp_member *self = ghcomp_self();
    struct ghcomp_team *team = self->team;
    struct ghcomp_task *task = self->task;
    if (num_teams == 0) {
        int chosen = ghcomp_load_relaxed(&ghcomp_global.num_teams);
        num_teams = chosen > 0 ? (uint32_t)chosen : UNCHOSEN_TEAMS;
    }
    if (thread_limit == 0)
        thread_limit = ghcomp_load_relaxed(&ghcomp_global.teams_thread_limit);

    struct ghcomp_group group, *outer_group = self->thread->in_group;
    const struct ghcomp_icvs encountering = *task->icv;
    bool observed = ghcomp_tool_on();
    struct ghcomp_tool_league league;
    bool moves = bind != GHCOMP_BIND_FALSE && ghcomp_affinity.places.count > 0;
    struct ghcomp_slot at = {0, 0, 0};
    if (ghcomp_unlikely(moves))
        at = ghcomp_affinity_where(self);
    if (ghcomp_unlikely(observed))
        ghcomp_tool_league_begin(self, &league, num_teams);
    for (uint32_t number = 0; number < num_teams; number++) {
        *ghcomp_icv_own(task) = encountering;
        if (thread_limit != 0)
            task->own.thread_limit = limit_icv(thread_limit);
        ghcomp_store_relaxed(&group.threads, 1u);
        self->thread->in_group = &group;
        team->league_num = number;
        team->league_size = num_teams;
        if (ghcomp_unlikely(moves)) {
            struct ghcomp_slot slot = ghcomp_affinity_slot(bind, num_teams, number, at);
            ghcomp_affinity_move(self, &slot);
        }
        if (ghcomp_unlikely(observed))
            ghcomp_tool_league_team(self, &league, number);
        if (ghcomp_unlikely(observed))
            ghcomp_tool_call(fn, data);
        else
            fn(data);
        if (ghcomp_unlikely(observed))
            ghcomp_tool_league_team_end(self, &league);
    }
    if (ghcomp_unlikely(observed))
        ghcomp_tool_league_end(self, &league);
    if (ghcomp_unlikely(moves))
        ghcomp_affinity_move(self, &at);
    if (ghcomp_unlikely(ghcomp_affinity.resets))
        ghcomp_affinity_reset(self);
    *ghcomp_icv_own(task) = encountering;
    self->thread->in_group = outer_group;
    team->league_num = 0;
    team->league_size = 1;
}

/* A league inside a target region, told to a tool: the team before this one has ended; `more`: another one begins. */
static __attribute__((noinline, cold)) void tell_next(struct ghcomp_member *self, bool first, bool more)
{
    struct ghcomp_target_region *region = self->thread->target.innermost;
    if (region == NULL || self != &region->self || (!first && !region->league_told))
        return;
    struct ghcomp_tool_league *league = &region->league;
    if (first)
        ghcomp_tool_league_begin(self, league, self->team->league_size);
    else
        ghcomp_tool_league_team_end(self, league);
    region->league_told = more;
    if (more) {
        ghcomp_tool_league_team(self, league, self->team->league_num);
        league->implicit.frame.exit_frame = league->task->frame.enter_frame; /* its code is the target region's */
        league->implicit.frame.exit_frame_flags = league->task->frame.enter_frame_flags;
    } else {
        ghcomp_tool_league_end(self, league);
    }
}

void ghcomp_league_left(struct ghcomp_member *self)
{
    if (self->thread->target.innermost->league_told)
        tell_next(self, false, false);
}

bool ghcomp_league_next(uint32_t num_teams, uint32_t thread_limit, bool first)
{
    struct ghcomp_member *self = ghcomp_self();
    struct ghcomp_task *task = self->task;
    struct ghcomp_team *team = self->team;
    while (team->parent != NULL)
        team = team->parent->team;
    if (first) {
        team->icv_storage = *task->icv;
        if (thread_limit != 0)
            team->icv_storage.thread_limit = limit_icv(thread_limit);
        team->league_num = 0;
        team->league_size = num_teams != 0 ? num_teams : 1;
    } else if (team->league_num + 1 < team->league_size) {
        team->league_num++;
    } else {
        if (ghcomp_tool_on())
            tell_next(self, false, false);
        return false;
    }
    task->icv = &team->icv_storage;
    if (ghcomp_tool_on())
        tell_next(self, first, true);
    return true;
}
