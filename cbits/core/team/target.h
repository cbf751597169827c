/* Target regions, and what device numbers mean where the host is the only device. Protocol: target.c. */
#pragma once

#include "core/state/types.h"

enum {
    GHCOMP_DEVICE_HOST = 0,     /* omp_get_initial_device(), which is omp_get_num_devices() */
    GHCOMP_DEVICE_INITIAL = -1, /* omp_initial_device */
    GHCOMP_DEVICE_INVALID = -4, /* omp_invalid_device: GCC's value */
    GHCOMP_DEVICE_DEFAULT = -5  /* omp_default_device of OpenMP 6.1 */
};

/* Runs fn(data) as a target region on the calling thread: as the initial task of a new initial thread, with the ICVs of
   the environment. `thread_limit` is the clause's, 0 without one. */
void ghcomp_target_run(void (*fn)(void *), void *data, uint32_t thread_limit);

/* The depend clause of a construct that moves data, which has no other effect on the host: waits for the construct's
   predecessors; with nowait, makes it an empty task that others can depend on. `depend` is the ABI's list, or NULL. */
void ghcomp_target_depend(bool nowait, void **depend);

/* Whether `device` names the host, for the routines: omp_initial_device does. Ends the program where libgomp does:
   always for omp_invalid_device, and for a device that does not exist when OMP_TARGET_OFFLOAD is mandatory. */
bool ghcomp_target_is_host(int device);
/* The same check for the device of a construct, which can run nowhere but on the host. `chosen` is false when the
   program left the device open; otherwise `device` is numbered as for the routines. */
void ghcomp_target_check(int device, bool chosen);

/* The demands of the `requires` directives of an image for devices, in GCC's mask; 0: none. Ends the program when an
   earlier image demanded something else. */
void ghcomp_target_require(uint32_t mask);
