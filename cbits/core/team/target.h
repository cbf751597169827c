/* Target regions, and what device numbers mean. Protocol: target.c. */
#pragma once

#include "core/state/types.h"

enum {
    GHCOMP_DEVICE_INITIAL = -1, /* omp_initial_device: the host, whose other number is that of devices (offload.h) */
    GHCOMP_DEVICE_INVALID = -4, /* omp_invalid_device: GCC's value */
    GHCOMP_DEVICE_DEFAULT = -5  /* omp_default_device of OpenMP 6.1 */
};

/* Runs fn(data) as a target region on the calling thread: as the initial task of a new initial thread, with the ICVs of
   the environment. `thread_limit` is the clause's, 0 without one. */
void ghcomp_target_run(void (*fn)(void *), void *data, uint32_t thread_limit);

/* Handles the depend clause of a construct that moves data, which does nothing else on the host: waits for the
   predecessors, or with nowait makes an empty task, on which others can depend. `depend` is the ABI's list, or NULL. */
void ghcomp_target_depend(bool nowait, void **depend);

/* Which device the routines' argument `device` names. Ends the program where libgomp does: always for
   omp_invalid_device, and for a device that does not exist when OMP_TARGET_OFFLOAD is mandatory. */
enum ghcomp_target_is { GHCOMP_TARGET_HOST, GHCOMP_TARGET_DEVICE, GHCOMP_TARGET_NONE };
struct ghcomp_target_named {
    enum ghcomp_target_is is;
    int number; /* 0 for the first device; the host's number follows the last device's */
};
struct ghcomp_target_named ghcomp_target_named(int device);
static inline bool ghcomp_target_is_host(int device)
{
    return ghcomp_target_named(device).is == GHCOMP_TARGET_HOST;
}
/* Checks the device of a construct of gcc's code, which always runs on the host: ends the program where libgomp does
   for a construct without code for any device. `chosen` is false when the program left the device open; otherwise
   `device` is numbered as for the routines. */
void ghcomp_target_check(int device, bool chosen);
/* The result of omp_get_default_device() in a task whose default-device-var is `icv`. */
int ghcomp_target_default_device(int icv);

/* Records the `requires` clauses of an image for devices, as GCC's mask; 0: none. Ends the program if an earlier image
   had others. */
void ghcomp_target_require(uint32_t mask);
