/* __kmpc_fork_teams: leagues on the host as clang and flang emit them, and the number of their teams. Tests:
 * test/clang/leagues.c.
 *
 * An earlier call passes the clauses num_teams and thread_limit. Without num_teams, OMP_NUM_TEAMS and
 * omp_set_num_teams() there is one team, as in libomp. */
#include "abi/abi.h"
#include "abi/kmp/kmp_call.h"
#include "base/check.h"
#include "core/state/settings.h"
#include "core/team/league.h"
#include "core/tool/tool.h"

static uint32_t positive(int32_t value)
{
    return value > 0 ? (uint32_t)value : 0;
}

void __kmpc_push_num_teams(struct kmp_ident *loc, int32_t thread, int32_t num_teams, int32_t thread_limit)
{
    (void)loc, (void)thread;
    struct ghcomp_thread_clauses *clauses = &ghcomp_self_of_libomp()->thread->clauses;
    clauses->num_teams = positive(num_teams);
    clauses->thread_limit = positive(thread_limit);
}

/* num_teams(lower : upper). Any number between the two is right; the upper one is what a single value means. */
void __kmpc_push_num_teams_51(struct kmp_ident *loc, int32_t thread, int32_t lower, int32_t upper,
                              int32_t thread_limit)
{
    if (positive(lower) > positive(upper) && positive(upper) > 0)
        ghcomp_fatal("num_teams(%d : %d): the lower bound is above the upper one; swap them", lower, upper);
    __kmpc_push_num_teams(loc, thread, upper, thread_limit);
}

/* The thread_limit clause of a target region that runs on the host. */
void __kmpc_set_thread_limit(struct kmp_ident *loc, int32_t thread, int32_t thread_limit)
{
    (void)loc, (void)thread;
    if (thread_limit > 0)
        ghcomp_icv_own(ghcomp_self_of_libomp()->task)->thread_limit = (uint32_t)thread_limit;
}

/* Applies KMP_TEAMS_THREAD_LIMIT: it bounds the league's threads in all; a thread_limit clause then bounds those of one
   team. */
static void bound(struct ghcomp_league_clauses *league)
{
    uint32_t most = ghcomp_load_relaxed(&ghcomp_global.league_threads);
    if (ghcomp_likely(most == 0))
        return;
    if (league->num_teams == 0)
        league->num_teams = (uint32_t)ghcomp_load_relaxed(&ghcomp_global.num_teams);
    if (league->num_teams > most)
        league->num_teams = most;
    uint32_t each = most / league->num_teams;
    league->divides = league->thread_limit == 0;
    if (league->thread_limit == 0)
        league->thread_limit = ghcomp_load_relaxed(&ghcomp_global.teams_thread_limit);
    if (league->thread_limit == 0 || league->thread_limit > each)
        league->thread_limit = each;
}

void __kmpc_fork_teams(struct kmp_ident *loc, int32_t argc, kmp_microtask fn, ...)
{
    (void)loc;
    GHCOMP_TOOL_SITE();
    struct kmp_call *call = GHCOMP_KMP_CALL_ON_STACK(argc);
    va_list arguments;
    va_start(arguments, fn);
    ghcomp_kmp_call_fill(call, fn, argc, &arguments);
    va_end(arguments);
    struct ghcomp_thread_clauses *clauses = &ghcomp_self_of_libomp()->thread->clauses;
    struct ghcomp_league_clauses league = {.num_teams = clauses->num_teams, .thread_limit = clauses->thread_limit,
                                           .bind = (enum ghcomp_bind)ghcomp_settings.teams_bind, .divides = true};
    clauses->num_teams = clauses->thread_limit = 0;
    if (league.num_teams == 0 && ghcomp_load_relaxed(&ghcomp_global.num_teams) <= 0)
        league.num_teams = 1;
    bound(&league);
    ghcomp_league_run_at_once(ghcomp_kmp_call_run, call, &league);
}

GHCOMP_ABI_OBJECT(kmp_teams);
