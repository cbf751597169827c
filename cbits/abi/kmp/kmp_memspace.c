/* Memory spaces and allocators of devices, and group-private memory: routines that LLVM's omp.h has since 20 and 23.
 * Tests: test/clang/device_memory.c.
 *
 * They are about memory that a device's plug-in has. The host is no such device, also where a program names it by its
 * number: there is no space, and so no allocator, as on libomp without a device. A predefined space is one resource,
 * and is its own part. Group-private memory is that of a device's groups of threads; the host's have none. */
#include "abi/abi.h"

static const omp_memspace_handle_t no_space = (omp_memspace_handle_t)0;

/* Handles below this are predefined ones; libomp's number. */
enum { MAX_SPACE = 1024 };

static bool is_predefined(uintptr_t space)
{
    return space != 0 && space < MAX_SPACE;
}

/* A routine for several devices, and one for a single device; each in C and in Fortran. */
#define OF_SEVERAL(name, type, none)                                                            \
    type name(int ndevs, const int *devs, omp_memspace_handle_t memspace)                       \
    {                                                                                           \
        (void)ndevs, (void)devs, (void)memspace;                                                \
        return none;                                                                            \
    }                                                                                           \
    intptr_t name##_(const int32_t *ndevs, const int32_t *devs, const intptr_t *memspace)       \
    {                                                                                           \
        return (intptr_t)name(*ndevs, devs, (omp_memspace_handle_t)*memspace);                  \
    }
#define OF_ONE(name, type, none)                                                                \
    type name(int dev, omp_memspace_handle_t memspace)                                          \
    {                                                                                           \
        (void)dev, (void)memspace;                                                              \
        return none;                                                                            \
    }                                                                                           \
    intptr_t name##_(const int32_t *dev, const intptr_t *memspace)                              \
    {                                                                                           \
        return (intptr_t)name(*dev, (omp_memspace_handle_t)*memspace);                          \
    }
#define OF_ALL(name, type, none)                                                                \
    type name(omp_memspace_handle_t memspace)                                                   \
    {                                                                                           \
        (void)memspace;                                                                         \
        return none;                                                                            \
    }                                                                                           \
    intptr_t name##_(const intptr_t *memspace)                                                  \
    {                                                                                           \
        return (intptr_t)name((omp_memspace_handle_t)*memspace);                                \
    }

OF_SEVERAL(omp_get_devices_memspace, omp_memspace_handle_t, no_space)
OF_SEVERAL(omp_get_devices_and_host_memspace, omp_memspace_handle_t, no_space)
OF_ONE(omp_get_device_memspace, omp_memspace_handle_t, no_space)
OF_ONE(omp_get_device_and_host_memspace, omp_memspace_handle_t, no_space)
OF_ALL(omp_get_devices_all_memspace, omp_memspace_handle_t, no_space)
OF_SEVERAL(omp_get_devices_allocator, omp_allocator_handle_t, omp_null_allocator)
OF_SEVERAL(omp_get_devices_and_host_allocator, omp_allocator_handle_t, omp_null_allocator)
OF_ONE(omp_get_device_allocator, omp_allocator_handle_t, omp_null_allocator)
OF_ONE(omp_get_device_and_host_allocator, omp_allocator_handle_t, omp_null_allocator)
OF_ALL(omp_get_devices_all_allocator, omp_allocator_handle_t, omp_null_allocator)

int omp_get_memspace_num_resources(omp_memspace_handle_t memspace)
{
    return is_predefined(memspace);
}

int32_t omp_get_memspace_num_resources_(const intptr_t *memspace)
{
    return omp_get_memspace_num_resources((omp_memspace_handle_t)*memspace);
}

omp_memspace_handle_t omp_get_submemspace(omp_memspace_handle_t memspace, int num_resources, int *resources)
{
    (void)num_resources, (void)resources;
    return is_predefined(memspace) ? memspace : no_space;
}

intptr_t omp_get_submemspace_(const intptr_t *memspace, const int32_t *num_resources, int32_t *resources)
{
    return (intptr_t)omp_get_submemspace((omp_memspace_handle_t)*memspace, *num_resources, resources);
}

/* --- group-private memory ----------------------------------------------------------------------------------------- */

void *omp_get_dyn_gprivate_ptr(size_t offset, int access_group)
{
    (void)offset, (void)access_group;
    return NULL;
}

void *omp_get_dyn_gprivate_nofb_ptr(size_t offset, int access_group)
{
    (void)offset, (void)access_group;
    return NULL;
}

size_t omp_get_dyn_gprivate_size(int access_group)
{
    (void)access_group;
    return 0;
}

omp_memspace_handle_t omp_get_dyn_gprivate_memspace(int access_group)
{
    (void)access_group;
    return no_space;
}

GHCOMP_ABI_OBJECT(kmp_memspace);
