/* The routines for integers of eight bytes that flang 24's omp_lib has, by value and, with `_`, by reference. What
   an int cannot hold is the nearest number that it can.
   ghcomp-only: LLVM 24's libomp is the first with them
   symbols: kmp_set_num_threads_8 kmp_set_num_threads_8_ kmpc_set_num_threads_8 kmp_set_max_active_levels_8
   symbols: kmp_set_max_active_levels_8_ kmp_set_default_device_8 kmp_set_default_device_8_ kmp_set_num_teams_8
   symbols: kmp_set_num_teams_8_ kmp_set_teams_thread_limit_8 kmp_set_teams_thread_limit_8_ kmp_set_blocktime_8
   symbols: kmp_set_blocktime_8_ kmp_set_stacksize_8 kmp_set_stacksize_8_ kmp_set_library_8 kmp_set_library_8_
   symbols: kmp_set_disp_num_buffers_8 kmp_set_disp_num_buffers_8_ kmp_get_ancestor_thread_num_8
   symbols: kmp_get_ancestor_thread_num_8_ kmp_get_team_size_8 kmp_get_team_size_8_ kmp_get_place_num_procs_8
   symbols: kmp_get_place_num_procs_8_ kmp_set_schedule_8 kmp_set_schedule_8_ kmp_get_schedule_8 kmp_get_schedule_8_
   symbols: kmp_get_place_proc_ids_8 kmp_get_place_proc_ids_8_ kmp_get_partition_place_nums_8
   symbols: kmp_get_partition_place_nums_8_ kmp_pause_resource_8 kmp_pause_resource_8_ kmp_set_affinity_mask_proc_8
   symbols: kmp_set_affinity_mask_proc_8_ kmp_unset_affinity_mask_proc_8 kmp_unset_affinity_mask_proc_8_
   symbols: kmp_get_affinity_mask_proc_8 kmp_get_affinity_mask_proc_8_
   env: OMP_PLACES=threads */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <omp.h>

#include "kmp.h"

static const int64_t MORE_THAN_INT = (int64_t)1 << 40;

static void *routine(const char *name, bool by_reference)
{
    char whole[100];
    snprintf(whole, sizeof whole, "%s%s", name, by_reference ? "_" : "");
    void *address = dlvsym(RTLD_DEFAULT, whole, "VERSION");
    if (address == NULL)
        fprintf(stderr, "no %s\n", whole);
    CHECK(address != NULL);
    return address;
}

static void set(const char *name, bool by_reference, int64_t value)
{
    if (by_reference)
        ((void (*)(const int64_t *))routine(name, true))(&value);
    else
        ((void (*)(int64_t))routine(name, false))(value);
}

static int ask(const char *name, bool by_reference, int64_t value)
{
    return by_reference ? ((int (*)(const int64_t *))routine(name, true))(&value)
                        : ((int (*)(int64_t))routine(name, false))(value);
}

static void settings(bool by)
{
    set("kmp_set_num_threads_8", by, 3);
    CHECK(omp_get_max_threads() == 3);
    set("kmp_set_max_active_levels_8", by, MORE_THAN_INT);
    CHECK(omp_get_max_active_levels() > 1);
    set("kmp_set_max_active_levels_8", by, 1);
    CHECK(omp_get_max_active_levels() == 1);
    int before = omp_get_default_device();
    set("kmp_set_default_device_8", by, 5);
    CHECK(omp_get_default_device() == 5);
    omp_set_default_device(before);
    set("kmp_set_num_teams_8", by, 7);
    CHECK(omp_get_max_teams() == 7);
    set("kmp_set_teams_thread_limit_8", by, 4);
    CHECK(omp_get_teams_thread_limit() == 4);
    set("kmp_set_blocktime_8", by, MORE_THAN_INT);
    CHECK(kmp_get_blocktime() == INT_MAX);
    set("kmp_set_blocktime_8", by, 12);
    CHECK(kmp_get_blocktime() == 12);
    set("kmp_set_stacksize_8", by, 3 << 20);
    CHECK(kmp_get_stacksize() == 3 << 20);
    set("kmp_set_disp_num_buffers_8", by, 9);
    set("kmp_set_library_8", by, 1);
    CHECK(kmp_get_library() == 1);
    set("kmp_set_library_8", by, 3);
}

static void regions(bool by)
{
    omp_set_num_threads(3);
#pragma omp parallel
    {
        CHECK(ask("kmp_get_team_size_8", by, 1) == 3 && ask("kmp_get_team_size_8", by, MORE_THAN_INT) == -1);
        CHECK(ask("kmp_get_ancestor_thread_num_8", by, 1) == omp_get_thread_num());
        CHECK(ask("kmp_get_ancestor_thread_num_8", by, -MORE_THAN_INT) == -1);
    }
    int kind = omp_sched_guided, found;
    int64_t chunk = 6, found_chunk;
    if (by)
        ((void (*)(const int *, const int64_t *))routine("kmp_set_schedule_8", true))(&kind, &chunk);
    else
        ((void (*)(int, int64_t))routine("kmp_set_schedule_8", false))(kind, chunk);
    ((void (*)(int *, int64_t *))routine("kmp_get_schedule_8", by))(&found, &found_chunk);
    CHECK((found & 0xffff) == kind && found_chunk == 6);
    int pause = 1;
    int64_t host = omp_get_initial_device();
    CHECK((by ? ((int (*)(const int *, const int64_t *))routine("kmp_pause_resource_8", true))(&pause, &host)
              : ((int (*)(int, int64_t))routine("kmp_pause_resource_8", false))(pause, host)) == 0);
}

static void places(bool by)
{
    int count = omp_get_place_num_procs(0);
    CHECK(count > 0 && ask("kmp_get_place_num_procs_8", by, 0) == count);
    CHECK(ask("kmp_get_place_num_procs_8", by, MORE_THAN_INT) == 0);
    int ids[1024];
    int64_t wide_ids[1024], first = 0;
    omp_get_place_proc_ids(0, ids);
    if (by)
        ((void (*)(const int64_t *, int64_t *))routine("kmp_get_place_proc_ids_8", true))(&first, wide_ids);
    else
        ((void (*)(int64_t, int64_t *))routine("kmp_get_place_proc_ids_8", false))(first, wide_ids);
    for (int i = 0; i < count; i++)
        CHECK(wide_ids[i] == ids[i]);
    count = omp_get_partition_num_places();
    CHECK(count <= 1024);
    omp_get_partition_place_nums(ids);
    ((void (*)(int64_t *))routine("kmp_get_partition_place_nums_8", by))(wide_ids);
    for (int i = 0; i < count; i++)
        CHECK(wide_ids[i] == ids[i]);
}

static int mask_proc(const char *name, bool by, int64_t proc, kmp_affinity_mask_t *mask)
{
    return by ? ((int (*)(const int64_t *, kmp_affinity_mask_t *))routine(name, true))(&proc, mask)
              : ((int (*)(int64_t, kmp_affinity_mask_t *))routine(name, false))(proc, mask);
}

static void masks(bool by)
{
    kmp_affinity_mask_t mask;
    kmp_create_affinity_mask(&mask);
    int ids[1024];
    omp_get_place_proc_ids(0, ids);
    CHECK(mask_proc("kmp_set_affinity_mask_proc_8", by, ids[0], &mask) == 0);
    CHECK(mask_proc("kmp_get_affinity_mask_proc_8", by, ids[0], &mask) == 1);
    CHECK(mask_proc("kmp_unset_affinity_mask_proc_8", by, ids[0], &mask) == 0);
    CHECK(mask_proc("kmp_get_affinity_mask_proc_8", by, ids[0], &mask) == 0);
    kmp_destroy_affinity_mask(&mask);
}

int main(void)
{
    omp_set_dynamic(0);
    for (int by = 0; by < 2; by++) {
        settings(by);
        regions(by);
        places(by);
        masks(by);
    }
    set("kmpc_set_num_threads_8", false, 2);
    CHECK(omp_get_max_threads() == 2);
    return 0;
}
