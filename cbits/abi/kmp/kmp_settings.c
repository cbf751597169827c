/* Settings by calls: Intel's routines, those of omp.h that differ under libomp's version (omp_get_schedule,
 * omp_set_num_teams, omp_get_nested and others), and the names under which clang's omp.h has the affinity routines of
 * C. Tests: test/clang/{settings,library,num_procs}.c, test/clang/schedule_*.c. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "abi/abi.h"
#include "abi/kmp/kmp_schedule.h"
#include "base/check.h"
#include "core/affinity/display_affinity.h"
#include "core/cpu/wait.h"
#include "core/state/icv.h"
#include "core/state/types.h"

/* --- how long a thread spins before it sleeps, in milliseconds; INT_MAX: for ever --------------------------------- */

static const uint64_t MILLISECOND = 1000000;

void kmp_set_blocktime(int milliseconds)
{
    uint64_t time = milliseconds > 0 ? (uint64_t)milliseconds * MILLISECOND : 0;
    ghcomp_self_of_libomp(); /* the environment's settings come first */
    ghcomp_wait_set_budget(milliseconds == INT_MAX ? UINT64_MAX : time);
}

int kmp_get_blocktime(void)
{
    ghcomp_self_of_libomp();
    uint64_t time = ghcomp_foreign_load_relaxed(&ghcomp_wait_settings.free_ns[GHCOMP_WAIT_TEAM]) / MILLISECOND;
    return time < INT_MAX ? (int)time : INT_MAX;
}

/* --- the stack of threads that are made from now on --------------------------------------------------------------- */

enum { LEAST_STACK = 16384 };

size_t kmp_get_stacksize_s(void)
{
    ghcomp_self_of_libomp();
    size_t system = ghcomp_os_stack_limit();
    return ghcomp_global.stacksize != 0 ? ghcomp_global.stacksize
           : system < GHCOMP_LIBOMP_STACK ? system : GHCOMP_LIBOMP_STACK;
}

int kmp_get_stacksize(void)
{
    size_t size = kmp_get_stacksize_s();
    return size < INT_MAX ? (int)size : INT_MAX;
}

void kmp_set_stacksize_s(size_t size)
{
    ghcomp_self_of_libomp();
    if (size < LEAST_STACK)
        ghcomp_warn("kmp_set_stacksize: %zu bytes are too few for a thread; give at least %d", size, LEAST_STACK);
    else
        ghcomp_global.stacksize = size;
}

void kmp_set_stacksize(int size)
{
    kmp_set_stacksize_s(size > 0 ? (size_t)size : 0);
}

/* --- others ------------------------------------------------------------------------------------------------------- */

/* NAME=VALUE as in the environment, several separated by `|`. */
void kmp_set_defaults(const char *settings)
{
    ghcomp_self_of_libomp();
    while (*settings != '\0') {
        size_t length = strcspn(settings, "|");
        char *one = ghcomp_alloc_text(settings, length);
        ghcomp_env_set(one);
        free(one);
        settings += length + (settings[length] == '|');
    }
}

/* Intel's modes of the library, by their numbers. */
enum { LIBRARY_SERIAL = 1, LIBRARY_TURNAROUND, LIBRARY_THROUGHPUT };
static _Atomic int library = LIBRARY_THROUGHPUT; /* atomic(relaxed): a number for kmp_get_library */

int kmp_get_library(void)
{
    ghcomp_env_asked_of_libomp();
    return ghcomp_load_relaxed(&library);
}

/* Serial: all regions of clang's code have one thread, whatever they ask for, and so has the caller's nthreads-var.
   Turnaround: the program has the machine to itself, and a waiting thread spins without limit. Throughput: the settings
   at the start. */
void kmp_set_library(int mode)
{
    static _Atomic int shortest = -1; /* atomic(relaxed): the time of spinning before turnaround, in milliseconds */
    ghcomp_self_of_libomp();
    if (mode < LIBRARY_SERIAL || mode > LIBRARY_THROUGHPUT) {
        ghcomp_warn("kmp_set_library: %d is no mode; give 1 (serial), 2 (turnaround) or 3 (throughput)", mode);
        return;
    }
    int before = ghcomp_load_relaxed(&library);
    if (mode == LIBRARY_TURNAROUND && before != LIBRARY_TURNAROUND) {
        ghcomp_store_relaxed(&shortest, kmp_get_blocktime());
        kmp_set_blocktime(INT_MAX);
    }
    if (mode != LIBRARY_TURNAROUND && before == LIBRARY_TURNAROUND)
        kmp_set_blocktime(ghcomp_load_relaxed(&shortest));
    if (mode == LIBRARY_SERIAL)
        omp_set_num_threads(1);
    else if (before == LIBRARY_SERIAL)
        omp_set_num_threads((int)ghcomp_global.initial.nthreads);
    ghcomp_store_relaxed(&ghcomp_global.serial, mode == LIBRARY_SERIAL);
    ghcomp_store_relaxed(&library, mode);
}

void kmp_set_library_serial(void)
{
    kmp_set_library(LIBRARY_SERIAL);
}

void kmp_set_library_turnaround(void)
{
    kmp_set_library(LIBRARY_TURNAROUND);
}

void kmp_set_library_throughput(void)
{
    kmp_set_library(LIBRARY_THROUGHPUT);
}

void kmp_set_warnings_on(void)
{
    ghcomp_warn_quietly(false);
}

void kmp_set_warnings_off(void)
{
    ghcomp_warn_quietly(true);
}

/* In libomp the number of loop buffers of a team. This runtime allocates shares as needed, so it has no effect. */
void kmp_set_disp_num_buffers(int count)
{
    (void)count;
}

enum { OFFLOAD_DISABLED, OFFLOAD_DEFAULT, OFFLOAD_MANDATORY };

int32_t __kmpc_get_target_offload(void)
{
    ghcomp_self_of_libomp();
    if (ghcomp_global.target_offload == GHCOMP_OFFLOAD_MANDATORY)
        return OFFLOAD_MANDATORY;
    return ghcomp_global.target_offload == GHCOMP_OFFLOAD_DISABLED ? OFFLOAD_DISABLED : OFFLOAD_DEFAULT;
}

/* --- routines that differ under libomp's version, and the names that clang's omp.h gives to C --------------------- */

void ghcomp_omp_get_schedule_kmp(omp_sched_t *kind, int *chunk_size)
{
    *kind = (omp_sched_t)ghcomp_kmp_run_schedule(ghcomp_askers_icvs_of_libomp(), chunk_size);
}

void ghcomp_omp_get_schedule__kmp(int32_t *kind, int32_t *chunk_size)
{
    *kind = ghcomp_kmp_run_schedule(ghcomp_askers_icvs_of_libomp(), chunk_size);
}

/* libomp counts the CPUs at its first call; a mask that the program sets later changes nothing. */
int ghcomp_omp_get_num_procs_kmp(void)
{
    ghcomp_env_asked_of_libomp();
    return (int)ghcomp_global.num_cpus;
}

int32_t ghcomp_omp_get_num_procs__kmp(void)
{
    return ghcomp_omp_get_num_procs_kmp();
}

/* libomp supports any number of levels. */
int ghcomp_omp_get_supported_active_levels_kmp(void)
{
    return (int)GHCOMP_ANY_LEVELS;
}

int ghcomp_omp_get_max_active_levels_kmp(void)
{
    return (int)ghcomp_askers_icvs_of_libomp()->max_active_levels;
}

void ghcomp_omp_set_max_active_levels_kmp(int max_levels)
{
    if (max_levels >= 0)
        ghcomp_icv_own(ghcomp_self_of_libomp()->task)->max_active_levels = (uint32_t)max_levels;
}

int ghcomp_omp_get_nested_kmp(void)
{
    return ghcomp_askers_icvs_of_libomp()->max_active_levels > 1;
}

/* Keeps the limit on active levels, unless that forbids nested regions. */
void ghcomp_omp_set_nested_kmp(int nested)
{
    struct ghcomp_icvs *icv = ghcomp_icv_own(ghcomp_self_of_libomp()->task);
    if (!nested)
        icv->max_active_levels = 1;
    else if (icv->max_active_levels == 1)
        icv->max_active_levels = GHCOMP_ANY_LEVELS;
}

int32_t ghcomp_omp_get_nested__kmp(void)
{
    return ghcomp_omp_get_nested_kmp();
}

void ghcomp_omp_set_nested__kmp(const int32_t *nested)
{
    ghcomp_omp_set_nested_kmp(*nested);
}

int32_t ghcomp_omp_get_supported_active_levels__kmp(void)
{
    return ghcomp_omp_get_supported_active_levels_kmp();
}

int32_t ghcomp_omp_get_max_active_levels__kmp(void)
{
    return ghcomp_omp_get_max_active_levels_kmp();
}

void ghcomp_omp_set_max_active_levels__kmp(const int32_t *max_levels)
{
    ghcomp_omp_set_max_active_levels_kmp(*max_levels);
}

/* As libomp does, makes an unknown kind static without chunks. Its static_steal has a number here alone. */
void ghcomp_omp_set_schedule_kmp(omp_sched_t kind, int chunk_size)
{
    enum { STATIC_STEAL = 102 };
    ghcomp_self_of_libomp();
    int plain = (int)kind & ~GHCOMP_SCHED_MONOTONIC;
    if (plain == STATIC_STEAL) {
        kind = omp_sched_dynamic;
    } else if (!ghcomp_sched_known((int)kind)) {
        ghcomp_warn("omp_set_schedule: %d is no kind of schedule; static without chunks is used", plain);
        kind = omp_sched_static;
        chunk_size = 0;
    }
    ghcomp_omp_set_schedule_30(kind, chunk_size);
}

void ghcomp_omp_set_schedule__kmp(const int32_t *kind, const int32_t *chunk_size)
{
    ghcomp_omp_set_schedule_kmp((omp_sched_t)*kind, *chunk_size);
}

/* libomp ignores 0 here. */
void ghcomp_omp_set_num_teams_kmp(int num_teams)
{
    if (num_teams > 0)
        ghcomp_omp_set_num_teams_51(num_teams);
}

void ghcomp_omp_set_num_teams__kmp(const int32_t *num_teams)
{
    ghcomp_omp_set_num_teams_kmp(*num_teams);
}

void ghcomp_omp_set_teams_thread_limit_kmp(int thread_limit)
{
    if (thread_limit > 0)
        ghcomp_omp_set_teams_thread_limit_51(thread_limit);
}

void ghcomp_omp_set_teams_thread_limit__kmp(const int32_t *thread_limit)
{
    ghcomp_omp_set_teams_thread_limit_kmp(*thread_limit);
}

void ompc_set_affinity_format(const char *format)
{
    ghcomp_env_asked_of_libomp();
    omp_set_affinity_format(format);
}

size_t ompc_get_affinity_format(char *buffer, size_t size)
{
    ghcomp_env_asked_of_libomp();
    return ghcomp_affinity_format_get(GHCOMP_AFFINITY_FOR_CLANG, buffer, size);
}

void ompc_display_affinity(const char *format)
{
    ghcomp_affinity_print(ghcomp_self_of_libomp(), GHCOMP_AFFINITY_FOR_CLANG, format);
}

size_t ompc_capture_affinity(char *buffer, size_t size, const char *format)
{
    return ghcomp_affinity_text(ghcomp_self_of_libomp(), GHCOMP_AFFINITY_FOR_CLANG, format, buffer, size);
}

GHCOMP_ABI_OBJECT(kmp_settings);
