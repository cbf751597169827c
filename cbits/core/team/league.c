/* Teams regions (leagues) on the host: how many teams, and which thread runs which.
 *
 * OpenMP 5.2, section 10.2, lets an implementation run the teams of a league in any order and gives them no way to wait
 * for each other. Each team is a contention group of its own with an initial thread whose ICVs are the encountering
 * task's.
 *
 * For gcc's code the teams run one after the other on the encountering thread, as in libgomp, and have its task's ICVs:
 * what one team sets stays in the next, and after the league. For clang's they have copies of their own, and run
 * concurrently, as in libomp: the league is a parallel region of as many members as there are teams, but no more than
 * CPUs, and each member runs teams as initial regions (initial_region.c). Member i begins with team i, so that the
 * encountering thread runs team 0 and a league that fits on the CPUs has its teams on the same threads each time;
 * further teams go to the first free member (`next`), because teams may take very different times. While teams run at
 * once each has its part of the threads that a region would have had, so that regions inside the teams do not have more
 * threads than there are CPUs, unless a num_threads clause or omp_set_num_threads() in the team asks for more. ADR 23.
 *
 * A league of clang's that can have one member only runs as gcc's does where the encountering thread is in its own
 * initial team. Inside a parallel region, where clang's target regions are plain calls, teams must be initial regions
 * all the same: other members may be in leagues of their own.
 *
 * In a target region of gcc's code the loop over the teams is the compiler's code. The ICVs that the first one starts
 * with are kept in the initial team's icv_storage, which no parallel region uses there; each further one has what the
 * one before leaves, as on libgomp.
 *
 * Where threads are bound, a team's initial thread has a place and a place partition: for gcc's code those of the
 * encountering thread, as in libgomp; for clang's those of a member of a region with KMP_TEAMS_PROC_BIND, as in libomp.
 * A thread that runs several teams moves from one to the next, and the end of the league moves the encountering thread
 * back.
 *
 * Without a num_teams clause, OMP_NUM_TEAMS and omp_set_num_teams, a league of gcc's code on the host has as many teams
 * as in libgomp, so that a program finds the same number under both.
 *
 * Called by abi/gomp/gomp_teams.c, abi/gomp/gomp_target.c and abi/kmp/kmp_teams.c. Covered by test/conformance/teams,
 * test/conformance/target, test/clang/leagues* and test/unit/league.c.
 */
#include "core/team/league.h"

#include <limits.h>

#include "core/affinity/affinity.h"
#include "core/state/settings.h"
#include "core/team/agents.h"
#include "core/team/initial_region.h"
#include "core/team/team.h"
#include "core/tool/tool.h"

enum { UNCHOSEN_TEAMS = 3 };

static uint32_t limit_icv(uint32_t thread_limit)
{
    return thread_limit > INT_MAX ? GHCOMP_NO_LIMIT : thread_limit;
}

/* A league. Written by the encountering thread before the teams begin, except for `next`; so the tasks of the teams can
   share its ICVs. The fields that every member reads come first, on one cache line. */
struct league {
    void (*fn)(void *);
    void *data;
    uint32_t teams;
    bool bound;                       /* the teams share the places ... */
    bool observed;                    /* a tool is there */
    enum ghcomp_bind bind;            /* ... by this rule, ... */
    struct ghcomp_slot at;            /* ... and the encountering thread is here */
    struct ghcomp_thread *thread;     /* the encountering one */
    _Atomic uint32_t next GHCOMP_ALIGNED; /* teams taken, apart from each member's first; atomic(relaxed): a number
                                      orders nothing */
    struct ghcomp_icvs icvs;          /* what a team starts with */
    struct ghcomp_tool_league tool;
} GHCOMP_ALIGNED;

static void begin(struct league *league, struct ghcomp_member *self, void (*fn)(void *), void *data,
                  const struct ghcomp_league_clauses *clauses)
{
    league->fn = fn;
    league->data = data;
    league->teams = clauses->num_teams;
    if (league->teams == 0) {
        int chosen = ghcomp_load_relaxed(&ghcomp_global.num_teams);
        league->teams = chosen > 0 ? (uint32_t)chosen : UNCHOSEN_TEAMS;
    }
    uint32_t thread_limit = clauses->thread_limit;
    if (thread_limit == 0)
        thread_limit = ghcomp_load_relaxed(&ghcomp_global.teams_thread_limit);
    league->icvs = *self->task->icv;
    if (thread_limit != 0)
        league->icvs.thread_limit = limit_icv(thread_limit);
    league->bind = clauses->bind;
    league->bound = league->bind != GHCOMP_BIND_FALSE && ghcomp_affinity.places.count > 0 &&
                    self->task->icv->bind != GHCOMP_BIND_FALSE;
    if (ghcomp_unlikely(league->bound))
        league->at = ghcomp_affinity_where(self);
    league->thread = self->thread;
    league->observed = ghcomp_tool_on();
    ghcomp_store_relaxed(&league->next, 0u);
    if (ghcomp_unlikely(league->observed))
        ghcomp_tool_league_begin(self, &league->tool, league->teams);
}

/* The team's initial thread goes to its part of the places. */
static void place_team(struct league *league, struct ghcomp_member *self, uint32_t number)
{
    struct ghcomp_slot slot = ghcomp_affinity_slot(league->bind, league->teams, number, league->at);
    ghcomp_affinity_move(self, &slot);
}

/* --- one after the other ------------------------------------------------------------------------------------------ */

static __attribute__((noinline, cold)) void run_observed(struct league *league, struct ghcomp_member *self,
                                                         uint32_t number)
{
    struct ghcomp_tool_league_team team;
    ghcomp_tool_league_team(self, &team, &league->tool, number, NULL);
    ghcomp_tool_call(league->fn, league->data);
    ghcomp_tool_league_team_end(self, &team);
}

static void number_team(struct ghcomp_member *self, uint32_t number, uint32_t size)
{
    if (ghcomp_likely(self->team->parent == NULL)) {
        self->team->league_num = number;
        self->team->league_size = size;
    } else { /* other members of its team may be in leagues of their own */
        self->league_num = number;
        self->league_size = size;
    }
}

/* Runs all teams one after the other, in the team of the encountering thread. `keeps`: what the teams set stays. */
static void run_here(struct league *league, struct ghcomp_member *self, bool keeps)
{
    struct ghcomp_task *task = self->task;
    struct ghcomp_group group, *outer_group = self->thread->in_group;
    uint32_t thread_limit = task->icv->thread_limit;
    for (uint32_t number = 0; number < league->teams; number++) {
        if (number == 0 || !keeps)
            *ghcomp_icv_own(task) = league->icvs;
        ghcomp_store_relaxed(&group.threads, 1u);
        ghcomp_store_relaxed(&group.agents, 0u);
        self->thread->in_group = &group;
        number_team(self, number, league->teams);
        if (ghcomp_unlikely(league->bound))
            place_team(league, self, number);
        if (ghcomp_unlikely(league->observed))
            run_observed(league, self, number);
        else
            league->fn(league->data);
        ghcomp_agents_finish(self); /* the tasks use `group`, which the next team resets */
    }
    if (!keeps)
        *ghcomp_icv_own(task) = league->icvs;
    ghcomp_icv_own(task)->thread_limit = thread_limit;
    self->thread->in_group = outer_group;
    number_team(self, 0, self->team->parent == NULL);
}

static void end(struct league *league, struct ghcomp_member *self)
{
    if (ghcomp_unlikely(league->observed))
        ghcomp_tool_league_end(self, &league->tool);
    if (ghcomp_unlikely(league->bound))
        ghcomp_affinity_move(self, &league->at);
    if (ghcomp_unlikely(ghcomp_affinity.places.count != 0))
        ghcomp_affinity_reset(self);
}

void ghcomp_league_run(void (*fn)(void *), void *data, const struct ghcomp_league_clauses *clauses)
{
    struct ghcomp_member *self = ghcomp_self();
    struct league league;
    begin(&league, self, fn, data, clauses);
    run_here(&league, self, true);
    end(&league, self);
}

/* --- beside each other -------------------------------------------------------------------------------------------- */

/* The region's tasks are complete before its end is reported. */
static __attribute__((noinline, cold)) void
run_region_observed(struct league *league, struct ghcomp_initial_region *region, uint32_t number)
{
    struct ghcomp_member *self = &region->self;
    struct ghcomp_tool_league_team team;
    void *frame = self->thread != league->thread ? __builtin_frame_address(0) : NULL;
    ghcomp_tool_league_team(self, &team, &league->tool, number, frame);
    ghcomp_tool_call(league->fn, league->data);
    ghcomp_initial_region_finish(region);
    ghcomp_tool_league_team_end(self, &team);
}

/* Divides the threads among the teams. omp_get_max_threads() keeps returning the undivided number, as in libomp. */
static void divide_threads(struct ghcomp_icvs *icvs, uint32_t teams)
{
    if (teams == 1)
        return;
    uint32_t threads = icvs->nthreads > ghcomp_global.num_cpus ? icvs->nthreads : ghcomp_global.num_cpus;
    uint32_t part = threads > teams ? threads / teams : 1;
    if (icvs->nthreads <= part)
        return;
    icvs->nthreads_whole = icvs->nthreads;
    icvs->nthreads = part;
}

/* One team, as an initial region on the calling thread. */
static void run_team(struct league *league, struct ghcomp_member *self, uint32_t number)
{
    struct ghcomp_initial_region *region = ghcomp_initial_region_prepare(self, false);
    region->self.task->icv = &league->icvs;
    region->team->league_num = number;
    region->team->league_size = league->teams;
    ghcomp_initial_region_enter(region);
    if (ghcomp_unlikely(league->bound))
        place_team(league, &region->self, number);
    if (ghcomp_unlikely(league->observed))
        run_region_observed(league, region, number);
    else
        league->fn(league->data);
    ghcomp_initial_region_leave(region);
}

/* The part of one member of the league's region. */
static void run_part(void *data)
{
    struct league *league = data;
    struct ghcomp_member *self = ghcomp_self_member;
    uint32_t members = self->team->size, teams = league->teams;
    run_team(league, self, self->tid);
    if (teams == members)
        return;
    uint32_t number;
    while ((number = members + ghcomp_add_relaxed(&league->next, 1u)) < teams)
        run_team(league, self, number);
}

/* Runs the teams on the members of a parallel region that is not reported to a tool. */
static void run_at_once(struct league *league, uint32_t members, bool divides)
{
    struct ghcomp_team *team =
        ghcomp_team_prepare(members, league->bind | GHCOMP_TEAM_OF_CLANG | GHCOMP_TEAM_OF_LEAGUE);
    if (divides)
        divide_threads(&league->icvs, team->size);
    ghcomp_team_release(team, run_part, league);
    run_part(league);
    ghcomp_team_join();
}

/* The number of teams that may run at once: one where reductions must be deterministic. */
static uint32_t most_at_once(const struct ghcomp_member *self, const struct league *league)
{
    const struct ghcomp_icvs *icv = self->task->icv;
    uint32_t cpus = ghcomp_global.num_cpus;
    if (self->team->active_level >= icv->max_active_levels || icv->thread_limit <= 1 ||
        ghcomp_settings.deterministic_reduction)
        return 1;
    return league->teams < cpus ? league->teams : cpus;
}

void ghcomp_league_run_at_once(void (*fn)(void *), void *data, const struct ghcomp_league_clauses *clauses)
{
    struct ghcomp_member *self = ghcomp_self();
    struct league league;
    begin(&league, self, fn, data, clauses);
    uint32_t members = most_at_once(self, &league);
    if (members > 1)
        run_at_once(&league, members, clauses->divides);
    else if (self->team->parent == NULL)
        run_here(&league, self, false);
    else
        for (uint32_t number = 0; number < league.teams; number++)
            run_team(&league, self, number);
    end(&league, self);
}

/* --- in a target region of gcc's code ----------------------------------------------------------------------------- */

/* Reports to a tool that the league begins (`first`) or that its last team has ended; `more`: that another team begins,
   else the league's end. */
static __attribute__((noinline, cold)) void report_next(struct ghcomp_member *self, bool first, bool more)
{
    struct ghcomp_initial_region *region = self->thread->initial.innermost;
    if (region == NULL || !region->target || self != &region->self || (!first && !region->league_reported))
        return;
    struct ghcomp_tool_league *league = &region->league;
    struct ghcomp_tool_league_team *team = &region->league_team;
    if (first)
        ghcomp_tool_league_begin(self, league, self->team->league_size);
    else
        ghcomp_tool_league_team_end(self, team);
    region->league_reported = more;
    if (more) {
        ghcomp_tool_league_team(self, team, league, self->team->league_num, NULL);
        team->implicit.frame.exit_frame = league->task->frame.enter_frame; /* its code is the target region's */
        team->implicit.frame.exit_frame_flags = league->task->frame.enter_frame_flags;
    } else {
        ghcomp_tool_league_end(self, league);
    }
}

void ghcomp_league_left(struct ghcomp_initial_region *region)
{
    if (region->league_reported)
        report_next(&region->self, false, false);
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
        task->icv = &team->icv_storage; /* of all teams, as on libgomp */
    } else if (team->league_num + 1 < team->league_size) {
        team->league_num++;
    } else {
        if (ghcomp_tool_on())
            report_next(self, false, false);
        return false;
    }
    if (ghcomp_tool_on())
        report_next(self, first, true);
    return true;
}
