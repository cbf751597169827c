/* Device routines. The host's number is omp_get_num_devices(), which is 0 without LLVM's libomptarget (offload.c), and
 * also -1 (omp_initial_device).
 *
 * Called by programs, and by omp_fortran.c. Covered by test/conformance/icv/device.c and pause.c, and by
 * test/conformance/target/uid.c, test/programs/offload.sh.
 */
#include <stdlib.h>
#include <string.h>

#include "abi/abi.h"
#include "base/check.h"
#include "core/team/offload.h"
#include "core/team/pool.h"
#include "core/team/target.h"
#include "core/team/team.h"
#include "core/tool/tool.h"

enum { PAUSE_STOP_TOOL = 3 }; /* omp_pause_stop_tool, which older omp.h lack */

int omp_get_num_devices(void)
{
    return ghcomp_offload_devices();
}

int omp_get_initial_device(void)
{
    return ghcomp_offload_devices();
}

int omp_get_device_num(void)
{
    return ghcomp_offload_devices();
}

int omp_is_initial_device(void)
{
    return 1;
}

int omp_get_default_device(void)
{
    return ghcomp_target_default_device(ghcomp_askers_icvs()->default_device);
}

/* omp_default_device names the present default device, so setting it changes nothing. */
void omp_set_default_device(int device_num)
{
    if (device_num == GHCOMP_DEVICE_DEFAULT)
        return;
    ghcomp_icv_own(ghcomp_self_of_caller()->task)->default_device = device_num;
}

static bool is_host(int device_num)
{
    return device_num == GHCOMP_DEVICE_INITIAL || device_num == ghcomp_offload_devices();
}

/* Releases resources that can be created again: the caller's hot teams at every depth, and then the threads that are
   free in the pool. Returns when they have ended. Hot teams of other initial threads are kept. Soft and hard are the
   same here: threadprivate data is lost with the threads that hold it. stop_tool finalizes the tool, too, after the
   threads have ended. */
int omp_pause_resource_all(omp_pause_resource_t kind)
{
    struct ghcomp_member *self = ghcomp_self_of_caller();
    if ((kind != omp_pause_soft && kind != omp_pause_hard && (int)kind != PAUSE_STOP_TOOL) || self->team->level > 0)
        return -1;
    ghcomp_team_forget(self);
    ghcomp_pool_join();
    if ((int)kind == PAUSE_STOP_TOOL)
        ghcomp_tool_stop();
    return 0;
}

/* Succeeds only for the host: libomptarget cannot pause a device, and a tool cannot be stopped for one device only. */
int omp_pause_resource(omp_pause_resource_t kind, int device_num)
{
    return is_host(device_num) && (int)kind != PAUSE_STOP_TOOL ? omp_pause_resource_all(kind) : -1;
}

/* --- unique identifiers of devices -------------------------------------------------------------------------------- */

static const char host_uid[] = "OMP_INITIAL_DEVICE"; /* the same as GCC's */

const char *omp_get_uid_from_device(int device_num)
{
    if (device_num == GHCOMP_DEVICE_DEFAULT)
        device_num = omp_get_default_device();
    if (is_host(device_num))
        return host_uid;
    const char *(*ask)(int) = (const char *(*)(int))ghcomp_offload_find("omp_get_uid_from_device");
    return ask != NULL ? ask(device_num) : NULL;
}

int ghcomp_omp_get_device_from_uid_60(const char *uid)
{
    if (uid == NULL || strcmp(uid, host_uid) == 0)
        return uid == NULL ? GHCOMP_DEVICE_INVALID : GHCOMP_DEVICE_INITIAL;
    int (*ask)(const char *) = (int (*)(const char *))ghcomp_offload_find("omp_get_device_from_uid");
    return ask != NULL ? ask(uid) : GHCOMP_DEVICE_INVALID;
}

/* Fortran: a string argument has no zero byte at its end; the address and length of a string result are stored through
   the first two arguments. */

int32_t ghcomp_omp_get_device_from_uid__60(const char *uid, size_t uid_len)
{
    char *text = ghcomp_alloc(uid_len + 1);
    memcpy(text, uid, uid_len);
    text[uid_len] = '\0';
    int device = strlen(text) == uid_len ? ghcomp_omp_get_device_from_uid_60(text) : GHCOMP_DEVICE_INVALID;
    free(text);
    return device;
}

void ghcomp_omp_get_uid_from_device__60(const char **res, size_t *res_len, int32_t device_num)
{
    *res = omp_get_uid_from_device(device_num);
    *res_len = *res != NULL ? strlen(*res) : 0;
}

void omp_get_uid_from_device_8_(const char **res, size_t *res_len, int64_t device_num)
{
    bool fits = device_num == (int32_t)device_num;
    ghcomp_omp_get_uid_from_device__60(res, res_len, fits ? (int32_t)device_num : GHCOMP_DEVICE_INVALID);
}

GHCOMP_ABI_OBJECT(omp_device);
