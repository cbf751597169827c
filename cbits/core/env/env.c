/* Reads the environment and sets the initial ICVs from it, with the default size of teams.
 *
 *   1. One pass over `environ` finds the text of every variable that names a setting (env_table.c).
 *   2. The texts of a setting are tried in order (the name, its alias, NAME_ALL); the first good one counts. Each bad
 *      one is named on stderr, with what is used instead, and affects nothing else (env_read.c does both).
 *   3. hw_subset.c leaves the CPUs that KMP_HW_SUBSET asks for.
 *   4. `ghcomp_global` is set from the values: several variables may concern one ICV.
 *   5. affinity.c makes the places from KMP_AFFINITY, OMP_PLACES, GOMP_CPU_AFFINITY and OMP_PROC_BIND.
 *   6. OMP_DISPLAY_ENV, KMP_VERSION and KMP_SETTINGS show the result: now, or at the first call if all code of the
 *      process is for libomp, which shows it there. After a second reading they show it again.
 *
 * If a variable of libomp's and one of OpenMP's or libgomp's set the same, libomp's counts: it is the more specific
 * one, and libomp has the same order. libomp's variables apply to gcc's code, too, since a process has one pool.
 *
 * NAME_DEV and NAME_DEV_n are for devices other than the host. There are none, so their values, and NAME_ALL's, are
 * only checked and kept for the display.
 *
 * Called by the library's constructor (thread.c), so it starts no thread, reads no files but the control groups', and
 * measures nothing unless GOMP_SPINCOUNT asks for it. env_first.c reads the environment again for code of libomp's that
 * has changed it before its first call. Covered by test/conformance/env, test/scripts/environment.sh,
 * test/container/quota.py and test/clang/environment_late.c.
 */
#include <stdint.h>

#include "base/check.h"
#include "core/affinity/affinity.h"
#include "core/affinity/hw_subset.h"
#include "core/cpu/wait.h"
#include "core/env/env_read.h"
#include "core/observe/observers.h"
#include "core/state/icv.h"
#include "core/state/types.h"
#include "core/team/barrier_policy.h"
#include "core/team/target.h"
#include "host/cgroup.h"
#include "host/os.h"

static void set_binding(struct ghcomp_icvs *icv)
{
    if (!ghcomp_env_given(GHCOMP_SET_PROC_BIND))
        return;
    const struct ghcomp_env_list *list = &ghcomp_env.proc_bind;
    icv->bind = (uint8_t)list->items[0];
    if (list->length == 1)
        return;
    uint8_t *rest = ghcomp_alloc(list->length - 1);
    for (uint32_t i = 1; i < list->length; i++)
        rest[i - 1] = (uint8_t)list->items[i];
    icv->bind_rest = rest;
    icv->bind_rest_len = list->length - 1;
}

static uint32_t max_active_levels(void)
{
    if (ghcomp_env_given(GHCOMP_SET_MAX_ACTIVE_LEVELS))
        return (uint32_t)ghcomp_env.max_active_levels;
    if (ghcomp_env_given(GHCOMP_SET_NESTED))
        return ghcomp_env.nested ? GHCOMP_ANY_LEVELS : 1;
    return ghcomp_env.num_threads.length > 1 || ghcomp_env.proc_bind.length > 1 ? GHCOMP_ANY_LEVELS : 1;
}

void ghcomp_env_set_for_regions(struct ghcomp_icvs *icv)
{
    const struct ghcomp_env_list *threads = &ghcomp_env.num_threads;
    ghcomp_global.nthreads_set = ghcomp_env_given(GHCOMP_SET_NUM_THREADS);
    icv->nthreads = ghcomp_global.num_cpus;
    if (ghcomp_global.nthreads_set) {
        icv->nthreads = threads->items[0];
        icv->nthreads_rest = threads->items + 1;
        icv->nthreads_rest_len = threads->length - 1;
    }
    icv->dynamic = ghcomp_env.dynamic;
    icv->max_active_levels = max_active_levels();
    /* omp_get_thread_limit can return INT_MAX at most, so a greater limit counts as none. */
    icv->thread_limit = ghcomp_env_given(GHCOMP_SET_THREAD_LIMIT) && ghcomp_env.thread_limit <= INT32_MAX
                            ? (uint32_t)ghcomp_env.thread_limit
                            : GHCOMP_NO_LIMIT;
    if (ghcomp_env_given(GHCOMP_SET_KMP_DEVICE_THREAD_LIMIT) && ghcomp_env.device_threads < icv->thread_limit)
        icv->thread_limit = (uint32_t)ghcomp_env.device_threads;
    if (ghcomp_env.library == GHCOMP_LIBRARY_SERIAL)
        icv->thread_limit = 1;
    icv->sched = GHCOMP_SCHED_DYNAMIC;
    icv->sched_by = GHCOMP_SCHED_BY_DEFAULT;
    if (ghcomp_env_given(GHCOMP_SET_SCHEDULE)) {
        icv->sched = ghcomp_env.schedule.kind;
        icv->sched_by = ghcomp_env.schedule.modified ? GHCOMP_SCHED_IN_FULL : GHCOMP_SCHED_BY_USER_PLAINLY;
        icv->sched_chunk = ghcomp_env.schedule.chunk;
    }
    if (icv->sched_chunk == 0 && (icv->sched & ~GHCOMP_SCHED_MONOTONIC) != GHCOMP_SCHED_STATIC)
        icv->sched_chunk = 1;
    icv->default_device = (int)ghcomp_env.default_device;
    if (ghcomp_env.target_offload == GHCOMP_OFFLOAD_MANDATORY && !ghcomp_env_given(GHCOMP_SET_DEFAULT_DEVICE))
        icv->default_device = GHCOMP_DEVICE_INVALID; /* the program must name a device (OpenMP 5.2) */
}

static void set_initial(struct ghcomp_icvs *icv)
{
    ghcomp_env_set_for_regions(icv);
    ghcomp_global.bind_set = ghcomp_env_given(GHCOMP_SET_PROC_BIND);
    struct ghcomp_env_allocator *allocator = &ghcomp_env.allocator.is;
    if (!ghcomp_env_given(GHCOMP_SET_ALLOCATOR))
        allocator->handle = GHCOMP_ALLOCATOR_DEFAULT;
    icv->default_allocator =
        allocator->count > 0 ? ghcomp_allocator_create((uintptr_t)allocator->space, allocator->count, allocator->traits)
                             : (uintptr_t)allocator->handle;
    ghcomp_invariant(icv->default_allocator != GHCOMP_ALLOCATOR_NULL); /* the parser accepts only allocators that can be
                                                                          created */
    set_binding(icv);
}

void ghcomp_env_set_waiting(void)
{
    ghcomp_global.wait_policy = ghcomp_env.library == GHCOMP_LIBRARY_TURNAROUND
                                    ? GHCOMP_POLICY_ACTIVE
                                    : (enum ghcomp_wait_policy)ghcomp_env.wait_policy;
    ghcomp_global.blocktime_set = ghcomp_env_given(GHCOMP_SET_KMP_BLOCKTIME);
    ghcomp_global.blocktime = ghcomp_env.blocktime;
    ghcomp_global.spincount_set = ghcomp_env_given(GHCOMP_SET_SPINCOUNT);
    ghcomp_global.spincount = ghcomp_env.spincount;
}

static void set_global(void)
{
    ghcomp_global.dynamic_set = ghcomp_env_given(GHCOMP_SET_DYNAMIC);
    ghcomp_global.cancel = ghcomp_env.cancel;
    if (ghcomp_global.cancel)
        ghcomp_observers_add(GHCOMP_CANCELLABLE);
    else
        ghcomp_observers_remove(GHCOMP_CANCELLABLE);
    ghcomp_global.display_affinity = ghcomp_env.display_affinity;
    ghcomp_env_set_waiting();
    bool by_kmp = ghcomp_env_given(GHCOMP_SET_KMP_STACKSIZE);
    ghcomp_global.stacksize = by_kmp ? ghcomp_env.kmp_stacksize : ghcomp_env.stacksize;
    ghcomp_global.max_task_priority = (int)ghcomp_env.max_task_priority;
    ghcomp_global.target_offload = (enum ghcomp_offload)ghcomp_env.target_offload;
    ghcomp_store_relaxed(&ghcomp_global.num_teams, (int)ghcomp_env.num_teams);
    ghcomp_store_relaxed(&ghcomp_global.teams_thread_limit, (uint32_t)ghcomp_env.teams_thread_limit);
    ghcomp_store_relaxed(&ghcomp_global.league_threads, (uint32_t)ghcomp_env.league_threads);
}

/* Counts the CPUs of the affinity mask, but no more than the control groups' quota. */
static void count_cpus(void)
{
    uint32_t quota = ghcomp_env.ignore_quota ? 0 : ghcomp_cgroup_quota("");
    ghcomp_global.cpu_quota = quota != 0 ? quota : UINT32_MAX;
    ghcomp_global.num_cpus = ghcomp_os_cpus() < ghcomp_global.cpu_quota ? ghcomp_os_cpus() : ghcomp_global.cpu_quota;
}

struct ghcomp_icvs ghcomp_icvs_before;

void ghcomp_env_set_all(bool again)
{
    ghcomp_env_read(again);
    ghcomp_hw_subset_env_init();
    bool unbound = ghcomp_env_given(GHCOMP_SET_PROC_BIND) && ghcomp_env.proc_bind.items[0] == GHCOMP_BIND_FALSE;
    if (ghcomp_settings.places != NULL && !unbound && ghcomp_env_is_for_libomp())
        ghcomp_affinity_narrow_to_places();
    count_cpus();
    set_global();
    if (again) {
        ghcomp_icvs_before = ghcomp_global.initial;
        ghcomp_global.initial = (struct ghcomp_icvs){0};
        ghcomp_affinity_env_forget();
    }
    set_initial(&ghcomp_global.initial);
    ghcomp_wait_init();
    ghcomp_affinity_env_init();
    ghcomp_barrier_policy_init();
}

static bool shown; /* as in env_read.c, written by one thread at a time */

void ghcomp_env_show(bool again)
{
    if (shown && !again)
        return;
    shown = true;
    if (ghcomp_env.display_env > 0 || ghcomp_env.debug)
        ghcomp_env_display(ghcomp_env.display_env == 2 || ghcomp_env.debug);
    if (ghcomp_env.kmp_version)
        ghcomp_env_display_version();
    if (ghcomp_env.kmp_settings)
        ghcomp_env_display_kmp();
}

bool ghcomp_env_to_show(void)
{
    return ghcomp_env.display_env > 0 || ghcomp_env.debug || ghcomp_env.kmp_version || ghcomp_env.kmp_settings;
}

static void init(void)
{
    ghcomp_os_start();
    ghcomp_env_set_all(false);
    if (ghcomp_env_to_show() && !ghcomp_env_is_for_libomp())
        ghcomp_env_show(false);
}

void ghcomp_env_init(void)
{
    static struct ghcomp_os_once once = GHCOMP_OS_ONCE;
    ghcomp_os_once(&once, init);
}
