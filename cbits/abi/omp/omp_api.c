/* The omp_* routines that read, set and display ICVs, those that return the caller's position in the nest of regions,
 * and the clocks (omp_get_wtime, omp_get_wtick).
 *
 * Values that OpenMP forbids have the same effect as in libgomp: a number of threads below 1 counts as 1, a negative
 * limit changes nothing, and for a level that the caller is not in the result is -1.
 *
 * Queries change no state and allocate nothing: a signal handler or a tool may call them in any thread at any moment
 * (outside.c).
 *
 * Called by programs, and by omp_fortran.c. Covered by test/conformance/icv.
 */
#include <limits.h>
#include <sched.h>
#include <time.h>

#include "abi/abi.h"
#include "core/affinity/affinity.h"
#include "core/team/league.h"
#include "core/team/team.h"
#include "core/team/worker_placement.h"
#include "host/os.h"

static inline __attribute__((always_inline)) struct ghcomp_icvs *own_icvs(void)
{
    return ghcomp_icv_own(ghcomp_self_of_caller()->task);
}

static int clip_to_int(uint32_t value)
{
    return value > INT_MAX ? INT_MAX : (int)value;
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

/* As in libomp, this does not count as a first call of the thread or process: it would return the same after one. */
int omp_get_thread_num(void)
{
    const struct ghcomp_member *self = ghcomp_self_member;
    return ghcomp_likely(self != NULL) ? (int)self->tid : 0;
}

int omp_get_num_threads(void)
{
    return (int)ghcomp_asker()->team->size;
}

int omp_get_max_threads(void)
{
    const struct ghcomp_icvs *icv = ghcomp_askers_icvs();
    return clip_to_int(icv->nthreads_whole != 0 ? icv->nthreads_whole : icv->nthreads);
}

void omp_set_num_threads(int num_threads)
{
    struct ghcomp_icvs *icv = own_icvs();
    icv->nthreads = num_threads > 0 ? (uint32_t)num_threads : 1;
    icv->nthreads_whole = 0;
}

/* The number of CPUs that the caller may run on now: programs narrow their affinity mask and then size their regions by
   this. A mask that the runtime itself has set (places, worker_placement.c) does not count. It is no larger than the
   CPU quota, since threads beyond it would only be throttled. (kmp/kmp_settings.c has clang's.) */
int ghcomp_omp_get_num_procs_10(void)
{
    ghcomp_env_asked();
    if (ghcomp_affinity.places.count > 0)
        return clip_to_int(ghcomp_global.num_cpus);
    union {
        cpu_set_t set;
        unsigned char bytes[1024]; /* sched_getaffinity fails when the kernel's mask is larger than this */
    } mask;
    const struct ghcomp_member *self = ghcomp_self_member;
    if (self != NULL && self->thread->placement.pinned != 0) {
        struct ghcomp_cpus own;
        ghcomp_affinity_worker_mask(self->thread, &own);
        uint32_t cpus = ghcomp_cpus_count(&own);
        return clip_to_int(cpus < ghcomp_global.cpu_quota ? cpus : ghcomp_global.cpu_quota);
    }
    if (sched_getaffinity(0, sizeof mask, &mask.set) == 0) {
        uint32_t cpus = (uint32_t)CPU_COUNT_S(sizeof mask, &mask.set);
        if (cpus > 0)
            return clip_to_int(cpus < ghcomp_global.cpu_quota ? cpus : ghcomp_global.cpu_quota);
    }
    return clip_to_int(ghcomp_global.num_cpus);
}

int omp_get_dynamic(void)
{
    return ghcomp_askers_icvs()->dynamic;
}

void omp_set_dynamic(int dynamic_threads)
{
    own_icvs()->dynamic = dynamic_threads != 0;
}

int omp_get_thread_limit(void)
{
    return clip_to_int(ghcomp_askers_icvs()->thread_limit);
}

int omp_in_parallel(void)
{
    return ghcomp_asker()->team->active_level > 0;
}

int omp_in_final(void)
{
    const struct ghcomp_member *self = ghcomp_self_member;
    return ghcomp_likely(self != NULL) && self->task->final;
}

int omp_in_explicit_task(void)
{
    const struct ghcomp_member *self = ghcomp_asker();
    return self->task != &self->implicit;
}

/* --- levels ------------------------------------------------------------------------------------------------------- */

int omp_get_level(void)
{
    return (int)ghcomp_asker()->team->level;
}

int omp_get_active_level(void)
{
    return (int)ghcomp_asker()->team->active_level;
}

/* The member's ancestor at this level, which may be the member itself; NULL when it is not at so deep a level. */
static const struct ghcomp_member *ancestor(const struct ghcomp_member *member, int level)
{
    if (level < 0 || (uint32_t)level > member->team->level)
        return NULL;
    while (member->team->level > (uint32_t)level)
        member = member->team->parent;
    return member;
}

int omp_get_ancestor_thread_num(int level)
{
    const struct ghcomp_member *member = ancestor(ghcomp_asker(), level);
    return member != NULL ? (int)member->tid : -1;
}

int omp_get_team_size(int level)
{
    const struct ghcomp_member *member = ancestor(ghcomp_asker(), level);
    return member != NULL ? (int)member->team->size : -1;
}

/* For gcc's code; kmp_settings.c has the routine for clang's. */
int ghcomp_omp_get_supported_active_levels_501(void)
{
    return (int)GHCOMP_MAX_LEVELS;
}

int ghcomp_omp_get_max_active_levels_30(void)
{
    uint32_t levels = ghcomp_askers_icvs()->max_active_levels;
    return (int)(levels < GHCOMP_MAX_LEVELS ? levels : GHCOMP_MAX_LEVELS);
}

void ghcomp_omp_set_max_active_levels_30(int max_levels)
{
    if (max_levels >= 0)
        own_icvs()->max_active_levels = max_levels < (int)GHCOMP_MAX_LEVELS ? (uint32_t)max_levels
                                                                           : GHCOMP_MAX_LEVELS;
}

/* Whether a nested region may have more than one thread here (OpenMP 5.0, section 3.2.11). kmp_settings.c has the
   routine for clang's code. */
int ghcomp_omp_get_nested_10(void)
{
    uint32_t levels = ghcomp_askers_icvs()->max_active_levels;
    return levels > 1 && levels > ghcomp_asker()->team->active_level;
}

void ghcomp_omp_set_nested_10(int nested)
{
    struct ghcomp_icvs *icv = own_icvs();
    if (nested)
        icv->max_active_levels = GHCOMP_ANY_LEVELS;
    else if (icv->max_active_levels > 1)
        icv->max_active_levels = 1;
}

/* --- the rest ----------------------------------------------------------------------------------------------------- */

/* kmp_settings.c has the routine for clang's code. */
void ghcomp_omp_get_schedule_30(omp_sched_t *kind, int *chunk_size)
{
    const struct ghcomp_icvs *icv = ghcomp_askers_icvs();
    *kind = (omp_sched_t)icv->sched;
    *chunk_size = icv->sched_chunk;
}

/* An unknown kind changes nothing. auto has no chunk size, and keeps the present one. kmp_settings.c has the routine
   for clang's code. */
void ghcomp_omp_set_schedule_30(omp_sched_t kind, int chunk_size)
{
    int plain = (int)kind & ~GHCOMP_SCHED_MONOTONIC;
    if (!ghcomp_sched_known((int)kind))
        return;
    struct ghcomp_icvs *icv = own_icvs();
    icv->sched = (int)kind;
    icv->sched_by = GHCOMP_SCHED_IN_FULL;
    if (plain != GHCOMP_SCHED_AUTO)
        icv->sched_chunk = chunk_size > 0 ? chunk_size : plain == GHCOMP_SCHED_STATIC ? 0 : 1;
}

int omp_get_cancellation(void)
{
    ghcomp_env_asked();
    return ghcomp_global.cancel;
}

int omp_get_max_task_priority(void)
{
    ghcomp_env_asked();
    return ghcomp_global.max_task_priority;
}

int omp_get_num_teams(void)
{
    return (int)ghcomp_league_place(ghcomp_asker()).size;
}

int omp_get_team_num(void)
{
    return (int)ghcomp_league_place(ghcomp_asker()).num;
}

int omp_get_max_teams(void)
{
    ghcomp_env_asked();
    return ghcomp_load_relaxed(&ghcomp_global.num_teams);
}

/* Here and below 0 is the default; in clang's code it changes nothing (kmp_settings.c). */
void ghcomp_omp_set_num_teams_51(int num_teams)
{
    ghcomp_env_asked();
    if (num_teams >= 0)
        ghcomp_store_relaxed(&ghcomp_global.num_teams, num_teams);
}

int omp_get_teams_thread_limit(void)
{
    ghcomp_env_asked();
    return clip_to_int(ghcomp_load_relaxed(&ghcomp_global.teams_thread_limit));
}

void ghcomp_omp_set_teams_thread_limit_51(int thread_limit)
{
    ghcomp_env_asked();
    if (thread_limit >= 0)
        ghcomp_store_relaxed(&ghcomp_global.teams_thread_limit, (uint32_t)thread_limit);
}

void omp_display_env(int verbose)
{
    ghcomp_env_asked();
    ghcomp_env_display(verbose != 0);
}

static double seconds(struct timespec time)
{
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

double omp_get_wtime(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return seconds(now);
}

double omp_get_wtick(void)
{
    struct timespec tick;
    clock_getres(CLOCK_MONOTONIC, &tick);
    return seconds(tick);
}

GHCOMP_ABI_OBJECT(omp_api);
