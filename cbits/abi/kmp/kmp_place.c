/* Places and affinity formats as libomp's routines have them; those of gcc's code are in abi/omp/omp_affinity.c. Tests:
 * test/clang/{places_unbound,places_order,affinity_format}.c, test/clang/affinity_fortran.f90.
 *
 * Where threads are not bound, libomp has one place, which all threads are on: the CPUs that the process had at its
 * start. Only with KMP_AFFINITY=disabled there is no place. A thread is on none after kmp_set_affinity. If bind-var is
 * true, the routine returns what that means. */
#include "abi/abi.h"
#include "abi/fortran_string.h"
#include "core/affinity/affinity.h"
#include "core/state/icv.h"
#include "core/state/settings.h"
#include "core/state/types.h"

/* Whether all CPUs are the only place. As in gcc's code, the query registers no thread. */
static bool is_whole(void)
{
    ghcomp_env_asked_of_libomp();
    return ghcomp_affinity.places.count == 0 && ghcomp_settings.kmp_affinity.type != GHCOMP_KMP_AFFINITY_DISABLED;
}

/* The kind of binding that KMP_AFFINITY and GOMP_CPU_AFFINITY set; no header has its number. */
static const omp_proc_bind_t of_intel = (omp_proc_bind_t)5;

omp_proc_bind_t ghcomp_omp_get_proc_bind_kmp(void)
{
    enum ghcomp_bind bind = ghcomp_askers_icvs_of_libomp()->bind;
    if (bind == GHCOMP_BIND_TRUE)
        bind = ghcomp_affinity_true_of_libomp();
    return bind == GHCOMP_BIND_TRUE ? of_intel : (omp_proc_bind_t)bind;
}

int ghcomp_omp_get_num_places_kmp(void)
{
    return is_whole() ? 1 : ghcomp_omp_get_num_places_45();
}

int ghcomp_omp_get_place_num_kmp(void)
{
    bool whole = is_whole();
    if (ghcomp_affinity_is_loose(ghcomp_self_member))
        return -1;
    return whole ? 0 : ghcomp_omp_get_place_num_45();
}

int ghcomp_omp_get_place_num_procs_kmp(int place_num)
{
    struct ghcomp_cpus all;
    if (!is_whole())
        return ghcomp_omp_get_place_num_procs_45(place_num);
    ghcomp_affinity_at_load(&all);
    return place_num == 0 ? (int)ghcomp_cpus_count(&all) : 0;
}

void ghcomp_omp_get_place_proc_ids_kmp(int place_num, int *ids)
{
    struct ghcomp_cpus all;
    if (!is_whole()) {
        ghcomp_omp_get_place_proc_ids_45(place_num, ids);
        return;
    }
    ghcomp_affinity_at_load(&all);
    for (uint32_t cpu = 0; place_num == 0 && (cpu = ghcomp_cpus_next(&all, cpu)) < GHCOMP_MAX_CPUS; cpu++)
        *ids++ = (int)cpu;
}

int ghcomp_omp_get_partition_num_places_kmp(void)
{
    return is_whole() ? 1 : ghcomp_omp_get_partition_num_places_45();
}

void ghcomp_omp_get_partition_place_nums_kmp(int *place_nums)
{
    if (is_whole())
        *place_nums = 0;
    else
        ghcomp_omp_get_partition_place_nums_45(place_nums);
}

/* --- Fortran ------------------------------------------------------------------------------------------------------ */

int32_t ghcomp_omp_get_proc_bind__kmp(void)
{
    return (int32_t)ghcomp_omp_get_proc_bind_kmp();
}

int32_t ghcomp_omp_get_num_places__kmp(void)
{
    return ghcomp_omp_get_num_places_kmp();
}

int32_t ghcomp_omp_get_place_num__kmp(void)
{
    return ghcomp_omp_get_place_num_kmp();
}

int32_t ghcomp_omp_get_place_num_procs__kmp(const int32_t *place_num)
{
    return ghcomp_omp_get_place_num_procs_kmp(*place_num);
}

void ghcomp_omp_get_place_proc_ids__kmp(const int32_t *place_num, int32_t *ids)
{
    ghcomp_omp_get_place_proc_ids_kmp(*place_num, ids);
}

int32_t ghcomp_omp_get_partition_num_places__kmp(void)
{
    return ghcomp_omp_get_partition_num_places_kmp();
}

void ghcomp_omp_get_partition_place_nums__kmp(int32_t *place_nums)
{
    ghcomp_omp_get_partition_place_nums_kmp(place_nums);
}

int32_t ghcomp_omp_get_affinity_format__kmp(char *buffer, size_t buffer_len)
{
    return ghcomp_fortran_get(ompc_get_affinity_format, buffer, buffer_len);
}

void ghcomp_omp_display_affinity__kmp(const char *format, size_t format_len)
{
    ghcomp_fortran_take(ompc_display_affinity, format, format_len);
}

int32_t ghcomp_omp_capture_affinity__kmp(char *buffer, const char *format, size_t buffer_len, size_t format_len)
{
    return ghcomp_fortran_capture(ompc_capture_affinity, buffer, buffer_len, format, format_len);
}

GHCOMP_ABI_OBJECT(kmp_place);
