/* libomp's forms of device routines that differ from gcc's, and its entry for pausing. Tests: test/clang/device_uid.c,
 * test/clang/pause.c. */
#include "abi/abi.h"
#include "core/team/target.h"

const char *ghcomp_omp_get_uid_from_device__kmp(int device_num)
{
    return omp_get_uid_from_device(device_num);
}

/* The host's number is the number of devices, as everywhere in libomp; libgomp returns -1. */
int ghcomp_omp_get_device_from_uid_kmp(const char *uid)
{
    int device = ghcomp_omp_get_device_from_uid_60(uid);
    return device == GHCOMP_DEVICE_INITIAL ? omp_get_initial_device() : device;
}

int ghcomp_omp_get_device_from_uid__kmp(const char *uid)
{
    return ghcomp_omp_get_device_from_uid_kmp(uid);
}

/* 0: the resources are released. */
int32_t __kmpc_pause_resource(int32_t kind)
{
    return omp_pause_resource_all((omp_pause_resource_t)kind) != 0;
}

GHCOMP_ABI_OBJECT(kmp_device);
