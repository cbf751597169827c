/* Affinity routines of omp.h: places (core/affinity/affinity.c) and the affinity format
 * (core/affinity/display_affinity.c). Covered by test/conformance/affinity. */
#include "abi/abi.h"
#include "core/affinity/affinity.h"
#include "core/affinity/display_affinity.h"
#include "core/state/icv.h"

static inline __attribute__((always_inline)) const struct ghcomp_cpus *place(int place_num)
{
    ghcomp_env_asked();
    const struct ghcomp_places *places = &ghcomp_affinity.places;
    return place_num >= 0 && (uint32_t)place_num < places->count ? &places->list[place_num] : NULL;
}

omp_proc_bind_t ghcomp_omp_get_proc_bind_40(void)
{
    return (omp_proc_bind_t)ghcomp_askers_icvs()->bind;
}

int ghcomp_omp_get_num_places_45(void)
{
    ghcomp_env_asked();
    return (int)ghcomp_affinity.places.count;
}

int ghcomp_omp_get_place_num_procs_45(int place_num)
{
    const struct ghcomp_cpus *cpus = place(place_num);
    return cpus != NULL ? (int)ghcomp_cpus_count(cpus) : 0;
}

void ghcomp_omp_get_place_proc_ids_45(int place_num, int *ids)
{
    const struct ghcomp_cpus *cpus = place(place_num);
    if (cpus == NULL)
        return;
    for (uint32_t cpu = 0; (cpu = ghcomp_cpus_next(cpus, cpu)) < GHCOMP_MAX_CPUS; cpu++)
        *ids++ = (int)cpu;
}

int ghcomp_omp_get_place_num_45(void)
{
    struct ghcomp_member *self = ghcomp_self_of_caller();
    if (self == &self->thread->idle)
        return (int)self->thread->self.place - 1; /* a worker keeps the place of its last region */
    ghcomp_affinity_settle(self);
    return (int)self->place - 1;
}

int ghcomp_omp_get_partition_num_places_45(void)
{
    return (int)ghcomp_self_of_caller()->partition_len;
}

void ghcomp_omp_get_partition_place_nums_45(int *place_nums)
{
    const struct ghcomp_member *self = ghcomp_self_of_caller();
    for (uint32_t i = 0; i < self->partition_len; i++)
        place_nums[i] = (int)(self->partition_first + i);
}

void omp_set_affinity_format(const char *format)
{
    ghcomp_env_asked();
    ghcomp_affinity_format_set(format);
}

size_t omp_get_affinity_format(char *buffer, size_t size)
{
    ghcomp_env_asked();
    return ghcomp_affinity_format_get(GHCOMP_AFFINITY_FOR_GCC, buffer, size);
}

void omp_display_affinity(const char *format)
{
    ghcomp_affinity_print(ghcomp_self_of_caller(), GHCOMP_AFFINITY_FOR_GCC, format);
}

size_t omp_capture_affinity(char *buffer, size_t size, const char *format)
{
    return ghcomp_affinity_text(ghcomp_self_of_caller(), GHCOMP_AFFINITY_FOR_GCC, format, buffer, size);
}

GHCOMP_ABI_OBJECT(omp_affinity);
