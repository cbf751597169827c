/* Fortran forms of the omp_* routines: arguments by reference, `_` after the name, `_8_` for integers and logicals of
 * eight bytes (-fdefault-integer-8). Functions return four bytes either way, by the omp_lib module.
 *
 * An eight-byte value that does not fit four bytes is clipped to the nearest one that does: a huge number of threads
 * stays huge. A logical is true when any bit is set.
 *
 * Called by programs that gfortran compiles. The affinity routines are in omp_fortran_affinity.c, locks in omp_lock.c.
 * Covered by test/conformance/fortran.
 */
#include <limits.h>

#include "abi/abi.h"
#include "core/state/icv.h"

static int clip(int64_t value)
{
    return value > INT_MAX ? INT_MAX : value < INT_MIN ? INT_MIN : (int)value;
}

/* Without arguments: one form serves both kinds. */
#define GET(type, name)    \
    type name##_(void)     \
    {                      \
        return name();     \
    }

/* With one integer, or one logical. */
#define SET(name)                           \
    void name##_(const int32_t *value)      \
    {                                       \
        name(*value);                       \
    }                                       \
    void name##_8_(const int64_t *value)    \
    {                                       \
        name(clip(*value));                 \
    }
#define SET_LOGICAL(name)                   \
    void name##_(const int32_t *value)      \
    {                                       \
        name(*value != 0);                  \
    }                                       \
    void name##_8_(const int64_t *value)    \
    {                                       \
        name(*value != 0);                  \
    }

GET(int32_t, omp_get_thread_num)
GET(int32_t, omp_get_num_threads)
GET(int32_t, omp_get_max_threads)
GET(int32_t, omp_get_dynamic)
GET(int32_t, omp_get_thread_limit)
GET(int32_t, omp_get_level)
GET(int32_t, omp_get_active_level)
GET(int32_t, omp_get_cancellation)
GET(int32_t, omp_get_max_task_priority)
GET(int32_t, omp_get_num_teams)
GET(int32_t, omp_get_team_num)
GET(int32_t, omp_get_max_teams)
GET(int32_t, omp_get_teams_thread_limit)
GET(int32_t, omp_get_default_device)
GET(int32_t, omp_get_num_devices)
GET(int32_t, omp_get_initial_device)
GET(int32_t, omp_get_device_num)
GET(int32_t, omp_is_initial_device)
GET(int32_t, omp_in_parallel)
GET(int32_t, omp_in_final)
GET(int32_t, omp_in_explicit_task)
GET(double, omp_get_wtime)
GET(double, omp_get_wtick)

SET(omp_set_num_threads)
SET(omp_set_default_device)
SET_LOGICAL(omp_set_dynamic)
SET_LOGICAL(omp_display_env)

/* Those that clang's and flang's code has forms of its own of. */
int32_t ghcomp_omp_get_num_procs__10(void)
{
    return ghcomp_omp_get_num_procs_10();
}

int32_t ghcomp_omp_get_nested__10(void)
{
    return ghcomp_omp_get_nested_10();
}

void ghcomp_omp_set_nested__10(const int32_t *nested)
{
    ghcomp_omp_set_nested_10(*nested != 0);
}

void omp_set_nested_8_(const int64_t *nested)
{
    ghcomp_omp_set_nested_10(*nested != 0);
}

int32_t ghcomp_omp_get_max_active_levels__30(void)
{
    return ghcomp_omp_get_max_active_levels_30();
}

int32_t ghcomp_omp_get_supported_active_levels__501(void)
{
    return ghcomp_omp_get_supported_active_levels_501();
}

void ghcomp_omp_set_max_active_levels__30(const int32_t *max_levels)
{
    ghcomp_omp_set_max_active_levels_30(*max_levels);
}

void omp_set_max_active_levels_8_(const int64_t *max_levels)
{
    ghcomp_omp_set_max_active_levels_30(clip(*max_levels));
}

void ghcomp_omp_set_num_teams__51(const int32_t *num_teams)
{
    ghcomp_omp_set_num_teams_51(*num_teams);
}

void omp_set_num_teams_8_(const int64_t *num_teams)
{
    ghcomp_omp_set_num_teams_51(clip(*num_teams));
}

void ghcomp_omp_set_teams_thread_limit__51(const int32_t *thread_limit)
{
    ghcomp_omp_set_teams_thread_limit_51(*thread_limit);
}

void omp_set_teams_thread_limit_8_(const int64_t *thread_limit)
{
    ghcomp_omp_set_teams_thread_limit_51(clip(*thread_limit));
}

int32_t omp_get_ancestor_thread_num_(const int32_t *level)
{
    return omp_get_ancestor_thread_num(*level);
}

int32_t omp_get_ancestor_thread_num_8_(const int64_t *level)
{
    return omp_get_ancestor_thread_num(clip(*level));
}

int32_t omp_get_team_size_(const int32_t *level)
{
    return omp_get_team_size(*level);
}

int32_t omp_get_team_size_8_(const int64_t *level)
{
    return omp_get_team_size(clip(*level));
}

/* The kind has four bytes in both forms. Unlike C's routine, gfortran's leaves out the modifier monotonic. */
void ghcomp_omp_get_schedule__30(int32_t *kind, int32_t *chunk_size)
{
    omp_sched_t is;
    int chunk;
    ghcomp_omp_get_schedule_30(&is, &chunk);
    *kind = (int32_t)((uint32_t)is & ~GHCOMP_SCHED_MONOTONIC);
    *chunk_size = chunk;
}

void omp_get_schedule_8_(int32_t *kind, int64_t *chunk_size)
{
    int32_t chunk;
    ghcomp_omp_get_schedule__30(kind, &chunk);
    *chunk_size = chunk;
}

void ghcomp_omp_set_schedule__30(const int32_t *kind, const int32_t *chunk_size)
{
    ghcomp_omp_set_schedule_30((omp_sched_t)*kind, *chunk_size);
}

void omp_set_schedule_8_(const int32_t *kind, const int64_t *chunk_size)
{
    ghcomp_omp_set_schedule_30((omp_sched_t)*kind, clip(*chunk_size));
}

int32_t omp_pause_resource_(const int32_t *kind, const int32_t *device_num)
{
    return omp_pause_resource((omp_pause_resource_t)*kind, *device_num);
}

int32_t omp_pause_resource_all_(const int32_t *kind)
{
    return omp_pause_resource_all((omp_pause_resource_t)*kind);
}

GHCOMP_ABI_OBJECT(omp_fortran);
