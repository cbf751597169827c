/* Routines of OpenMP 6.1 about dimensions of teams and leagues, and about how far devices are away; GCC 17 is the first
 * with them. Teams and leagues of the host have one dimension, which is their size; in each further dimension the
 * extent is 1, and every thread has number 0. Tests: test/conformance/trunk/dims.c. */
#include <limits.h>

#include "abi/abi.h"
#include "core/team/offload.h"
#include "core/team/target.h"

enum { UNKNOWN_DEVICE = -1, DISTANCE_OF_HOST = 0 };

static bool is_host(int device_num)
{
    if (device_num == GHCOMP_DEVICE_DEFAULT)
        device_num = omp_get_default_device();
    return device_num == GHCOMP_DEVICE_INITIAL || device_num == ghcomp_offload_devices();
}

int omp_get_num_teams_dim(int dim)
{
    return dim == 0 ? omp_get_num_teams() : 1;
}

int omp_get_team_num_dim(int dim)
{
    return dim == 0 ? omp_get_team_num() : 0;
}

int omp_get_num_threads_dim(int dim)
{
    return dim == 0 ? omp_get_num_threads() : 1;
}

int omp_get_thread_num_dim(int dim)
{
    return dim == 0 ? omp_get_thread_num() : 0;
}

int omp_get_thread_limit_dim(int dim)
{
    return dim == 0 ? omp_get_thread_limit() : 1;
}

/* The greatest extent on a device in this dimension; UNKNOWN_DEVICE: there is no such device. */
static int supported(int device_num, int dim)
{
    return !is_host(device_num) ? UNKNOWN_DEVICE : dim == 0 ? INT_MAX : 1;
}

int omp_get_supported_teams_dim(int device_num, int dim)
{
    return supported(device_num, dim);
}

int omp_get_supported_threads_dim(int device_num, int dim)
{
    return supported(device_num, dim);
}

/* How many dimensions may be wider than 1. The number does not depend on the device, as in libgomp. */
int omp_get_supported_active_team_dims(int device_num, int native_support)
{
    (void)device_num, (void)native_support;
    return 1;
}

int omp_get_supported_active_league_dims(int device_num, int native_support)
{
    (void)device_num, (void)native_support;
    return 1;
}

int32_t omp_get_supported_active_team_dims_(const int32_t *device_num, const int32_t *native_support)
{
    return omp_get_supported_active_team_dims(*device_num, *native_support);
}

int32_t omp_get_supported_active_league_dims_(const int32_t *device_num, const int32_t *native_support)
{
    return omp_get_supported_active_league_dims(*device_num, *native_support);
}

/* The distances from the calling thread to each device. */
void omp_get_device_distances(int ndevs, const int *devs, int *distances)
{
    for (int i = 0; i < ndevs; i++)
        distances[i] = is_host(devs[i]) ? DISTANCE_OF_HOST : UNKNOWN_DEVICE;
}

GHCOMP_ABI_OBJECT(omp_dims);
