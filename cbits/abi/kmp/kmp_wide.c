/* Routines for integers of eight bytes: a Fortran program that flang 24 has compiled with -fdefault-integer-8 calls
 * them through the generic names of its omp_lib. A value outside of int's range becomes the nearest int. With `_` the
 * arguments are passed by reference. Tests: test/clang/wide_integers.c. */
#include <limits.h>
#include <stdlib.h>

#include "abi/abi.h"
#include "base/check.h"

static int narrow(int64_t value)
{
    return value < INT_MIN ? INT_MIN : value > INT_MAX ? INT_MAX : (int)value;
}

#define SET(name, routine)                     \
    void name(int64_t value)                   \
    {                                          \
        routine(narrow(value));                \
    }                                          \
    void name##_(const int64_t *value)         \
    {                                          \
        routine(narrow(*value));               \
    }
#define ASK(name, routine)                     \
    int name(int64_t value)                    \
    {                                          \
        return routine(narrow(value));         \
    }                                          \
    int name##_(const int64_t *value)          \
    {                                          \
        return routine(narrow(*value));        \
    }
#define MASK_PROC(name, routine)               \
    int name(int64_t proc, void **mask)        \
    {                                          \
        return routine(narrow(proc), mask);    \
    }                                          \
    int name##_(const int64_t *proc, void **mask) \
    {                                          \
        return routine(narrow(*proc), mask);   \
    }

SET(kmp_set_num_threads_8, omp_set_num_threads)
SET(kmp_set_max_active_levels_8, ghcomp_omp_set_max_active_levels_kmp)
SET(kmp_set_default_device_8, omp_set_default_device)
SET(kmp_set_num_teams_8, ghcomp_omp_set_num_teams_kmp)
SET(kmp_set_teams_thread_limit_8, ghcomp_omp_set_teams_thread_limit_kmp)
SET(kmp_set_blocktime_8, kmp_set_blocktime)
SET(kmp_set_stacksize_8, kmp_set_stacksize)
SET(kmp_set_library_8, kmp_set_library)
SET(kmp_set_disp_num_buffers_8, kmp_set_disp_num_buffers)
ASK(kmp_get_ancestor_thread_num_8, omp_get_ancestor_thread_num)
ASK(kmp_get_team_size_8, omp_get_team_size)
ASK(kmp_get_place_num_procs_8, ghcomp_omp_get_place_num_procs_kmp)
MASK_PROC(kmp_set_affinity_mask_proc_8, kmp_set_affinity_mask_proc)
MASK_PROC(kmp_unset_affinity_mask_proc_8, kmp_unset_affinity_mask_proc)
MASK_PROC(kmp_get_affinity_mask_proc_8, kmp_get_affinity_mask_proc)

void kmpc_set_num_threads_8(int64_t value)
{
    omp_set_num_threads(narrow(value));
}

void kmp_set_schedule_8(int kind, int64_t chunk_size)
{
    ghcomp_omp_set_schedule_kmp((omp_sched_t)kind, narrow(chunk_size));
}

void kmp_set_schedule_8_(const int *kind, const int64_t *chunk_size)
{
    kmp_set_schedule_8(*kind, *chunk_size);
}

void kmp_get_schedule_8(int *kind, int64_t *chunk_size)
{
    omp_sched_t schedule;
    int chunk;
    ghcomp_omp_get_schedule_kmp(&schedule, &chunk);
    *kind = (int)schedule;
    *chunk_size = chunk;
}

void kmp_get_schedule_8_(int *kind, int64_t *chunk_size)
{
    kmp_get_schedule_8(kind, chunk_size);
}

int kmp_pause_resource_8(int kind, int64_t device_num)
{
    return omp_pause_resource((omp_pause_resource_t)kind, narrow(device_num));
}

int kmp_pause_resource_8_(const int *kind, const int64_t *device_num)
{
    return kmp_pause_resource_8(*kind, *device_num);
}

/* --- numbers that the routines write ------------------------------------------------------------------------------ */

static void widen(int64_t *to, const int *from, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = from[i];
}

void kmp_get_place_proc_ids_8(int64_t place_num, int64_t *ids)
{
    int count = ghcomp_omp_get_place_num_procs_kmp(narrow(place_num));
    if (count <= 0)
        return;
    int *narrow_ids = ghcomp_alloc((size_t)count * sizeof *narrow_ids);
    ghcomp_omp_get_place_proc_ids_kmp(narrow(place_num), narrow_ids);
    widen(ids, narrow_ids, count);
    free(narrow_ids);
}

void kmp_get_place_proc_ids_8_(const int64_t *place_num, int64_t *ids)
{
    kmp_get_place_proc_ids_8(*place_num, ids);
}

void kmp_get_partition_place_nums_8(int64_t *place_nums)
{
    int count = ghcomp_omp_get_partition_num_places_kmp();
    if (count <= 0)
        return;
    int *narrow_nums = ghcomp_alloc((size_t)count * sizeof *narrow_nums);
    ghcomp_omp_get_partition_place_nums_kmp(narrow_nums);
    widen(place_nums, narrow_nums, count);
    free(narrow_nums);
}

void kmp_get_partition_place_nums_8_(int64_t *place_nums)
{
    kmp_get_partition_place_nums_8(place_nums);
}

GHCOMP_ABI_OBJECT(kmp_wide);
