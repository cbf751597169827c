/* Teams regions (leagues) on the host: the teams run one after the other on the encountering thread.
 *
 * OpenMP 5.2, section 10.2, lets an implementation run the teams of a league in any order and gives them no way to
 * wait for each other. Each team is a contention group of its own with an initial thread whose ICVs are the encountering
 * task's; what one team sets is gone in the next.
 *
 * Called by abi/gomp_teams.c. Covered by test/conformance/teams.
 */
#include "core/league.h"

#include <limits.h>

void ghcomp_league_run(void (*fn)(void *), void *data, uint32_t num_teams, uint32_t thread_limit)
{
    struct ghcomp_member *self = ghcomp_self();
    struct ghcomp_team *team = self->team;
    struct ghcomp_task *task = self->task;
    if (num_teams == 0) {
        int chosen = ghcomp_load_relaxed(&ghcomp_global.num_teams);
        num_teams = chosen > 0 ? (uint32_t)chosen : 1;
    }
    if (thread_limit == 0)
        thread_limit = ghcomp_load_relaxed(&ghcomp_global.teams_thread_limit);

    struct ghcomp_group group, *outer_group = self->thread->in_group;
    const struct ghcomp_icvs encountering = *task->icv;
    for (uint32_t number = 0; number < num_teams; number++) {
        *ghcomp_icv_own(task) = encountering;
        if (thread_limit != 0)
            task->own.thread_limit = thread_limit > INT_MAX ? GHCOMP_NO_LIMIT : thread_limit;
        ghcomp_store_relaxed(&group.threads, 1u);
        self->thread->in_group = &group;
        team->league_num = number;
        team->league_size = num_teams;
        fn(data);
    }
    *ghcomp_icv_own(task) = encountering;
    self->thread->in_group = outer_group;
    team->league_num = 0;
    team->league_size = 1;
}
