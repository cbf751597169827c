/* Device routines. The host is the only device: number omp_get_num_devices() = 0, which is also -1 (omp_initial_device).
 *
 * Called by programs, and by omp_fortran.c. Covered by test/conformance/icv/device.c and pause.c.
 */
#include "abi/abi.h"
#include "core/pool.h"
#include "core/team.h"

enum { HOST = 0, INITIAL_DEVICE = -1 };

int omp_get_num_devices(void)
{
    return 0;
}

int omp_get_initial_device(void)
{
    return HOST;
}

int omp_get_device_num(void)
{
    return HOST;
}

int omp_is_initial_device(void)
{
    return 1;
}

int omp_get_default_device(void)
{
    return ghcomp_self()->task->icv->default_device;
}

void omp_set_default_device(int device_num)
{
    ghcomp_icv_own(ghcomp_self()->task)->default_device = device_num;
}

/* Gives up what can be had again: the caller's hot teams at every depth, and the pool's threads that are free then.
   Threads that other initial threads keep are theirs. Soft and hard are the same here: threadprivate data goes with the
   threads that hold it. */
int omp_pause_resource_all(omp_pause_resource_t kind)
{
    struct ghcomp_member *self = ghcomp_self();
    if ((kind != omp_pause_soft && kind != omp_pause_hard) || self->team->level > 0)
        return -1;
    ghcomp_team_forget(self);
    ghcomp_pool_dismiss();
    return 0;
}

int omp_pause_resource(omp_pause_resource_t kind, int device_num)
{
    if (device_num != HOST && device_num != INITIAL_DEVICE)
        return -1;
    return omp_pause_resource_all(kind);
}

GHCOMP_ABI_OBJECT(omp_device);
