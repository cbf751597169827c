/* Target regions on the host, and the numbers of devices.
 *
 * The target regions of gcc's code, and of clang's without code for devices, run on the host. There are devices only if
 * the process has LLVM's libomptarget (offload.c).
 *
 * A target region is an initial region (initial_region.c) with the environment's ICVs, on the calling thread.
 *
 * Called by abi/gomp/gomp_target.c, abi/omp/omp_target.c, abi/omp/omp_interop.c and abi/omp/omp_device.c. Covered by
 * test/unit/target.c and test/conformance/target.
 */
#include "core/team/target.h"

#include <stdio.h>

#include "base/check.h"
#include "core/task/task.h"
#include "core/team/initial_region.h"
#include "core/team/league.h"
#include "core/team/offload.h"
#include "core/tool/tool.h"

/* --- regions ------------------------------------------------------------------------------------------------------ */

/* Runs the region's initial task and reports it to a tool. The region's tasks are complete before the end is
   reported. */
static __attribute__((noinline)) void run_observed(struct ghcomp_initial_region *region, void (*fn)(void *), void *data)
{
    ghcomp_tool_initial_begin(&region->self);
    ghcomp_tool_call(fn, data);
    ghcomp_initial_region_finish(region);
    ghcomp_league_left(region);
    ghcomp_tool_part_end(&region->self);
    ghcomp_tool_initial_end(&region->self);
}

void ghcomp_target_run(void (*fn)(void *), void *data, uint32_t thread_limit)
{
    struct ghcomp_initial_region *region = ghcomp_initial_region_prepare(ghcomp_self(), true);
    if (thread_limit != 0)
        ghcomp_icv_own(region->self.task)->thread_limit = thread_limit;
    ghcomp_initial_region_enter(region);
    if (ghcomp_tool_on())
        run_observed(region, fn, data);
    else
        fn(data);
    ghcomp_initial_region_leave(region);
}

void ghcomp_target_depend(bool nowait, void **depend)
{
    struct ghcomp_member *self = ghcomp_self();
    if (depend == NULL || ghcomp_task_refused(self))
        return;
    if (nowait)
        ghcomp_task_wait_depend_nowait(self, depend, true);
    else
        ghcomp_task_wait_depend(self, depend);
}

/* --- device numbers ----------------------------------------------------------------------------------------------- */

int ghcomp_target_default_device(int icv)
{
    /* The program has chosen no device, but offloading is mandatory. env.c could not choose one, because libomptarget
       may be loaded later. */
    bool none = icv == GHCOMP_DEVICE_INVALID && ghcomp_global.target_offload == GHCOMP_OFFLOAD_MANDATORY;
    return ghcomp_unlikely(none) && ghcomp_offload_devices() > 0 ? 0 : icv;
}

static int default_device(void)
{
    return ghcomp_target_default_device(ghcomp_self()->task->icv->default_device);
}

static __attribute__((noinline, cold)) void not_found(int device)
{
    if (ghcomp_global.target_offload == GHCOMP_OFFLOAD_MANDATORY) {
        if (device < 0)
            ghcomp_fatal_compat("OMP_TARGET_OFFLOAD is set to MANDATORY, but only the host device is available");
        ghcomp_fatal_compat("OMP_TARGET_OFFLOAD is set to MANDATORY, but device not found");
    }
    if (device == GHCOMP_DEVICE_INVALID)
        ghcomp_fatal_compat("omp_invalid_device encountered");
}

struct ghcomp_target_named ghcomp_target_named(int device)
{
    if (device == GHCOMP_DEVICE_DEFAULT)
        device = default_device();
    int devices = ghcomp_offload_devices();
    if (ghcomp_likely(device == GHCOMP_DEVICE_INITIAL || device == devices))
        return (struct ghcomp_target_named){GHCOMP_TARGET_HOST, devices};
    if (device >= 0 && device < devices)
        return (struct ghcomp_target_named){GHCOMP_TARGET_DEVICE, device};
    not_found(device);
    return (struct ghcomp_target_named){GHCOMP_TARGET_NONE, device};
}

void ghcomp_target_check(int device, bool chosen)
{
    if (!chosen || device == GHCOMP_DEVICE_DEFAULT)
        device = default_device();
    /* Number 0 names the host or a device. gcc's code has no code for a device, so the host runs the construct in both
       cases. */
    bool mandatory = ghcomp_global.target_offload == GHCOMP_OFFLOAD_MANDATORY;
    if (ghcomp_likely(device == GHCOMP_DEVICE_INITIAL || (device == 0 && !mandatory)))
        return;
    if (ghcomp_target_named(device).is == GHCOMP_TARGET_DEVICE && mandatory)
        ghcomp_fatal_compat("OMP_TARGET_OFFLOAD is set to MANDATORY, but device cannot be used for offloading");
}

/* --- requires ----------------------------------------------------------------------------------------------------- */

enum { REQUIRES_TARGET_USED = 0x200 }; /* on its own: the file has device constructs but no requires directive */

static const char *require_names(uint32_t mask, char *buffer, size_t size)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } clauses[] = {{0x10, "unified_address"}, {0x20, "unified_shared_memory"},
                   {0x400, "self_maps"}, {0x80, "reverse_offload"}};
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t i = 0; i < sizeof clauses / sizeof clauses[0]; i++)
        if (mask & clauses[i].bit)
            used += (size_t)snprintf(buffer + used, size - used, "%s%s", used > 0 ? ", " : "", clauses[i].name);
    return buffer;
}

void ghcomp_target_require(uint32_t mask)
{
    static _Atomic uint32_t required; /* atomic(relaxed): it orders no other word; 0 until an image sets it */
    char one[80], other[80];
    uint32_t before = 0;
    while (mask != 0 && before == 0)
        if (ghcomp_cas_weak_relaxed(&required, &before, mask))
            return;
    if (mask == 0 || before == mask)
        return;
    if (mask == REQUIRES_TARGET_USED || before == REQUIRES_TARGET_USED)
        ghcomp_fatal_compat("OpenMP 'requires' directive with '%s' specified only in some compilation units",
                            require_names(mask | before, one, sizeof one));
    ghcomp_fatal_compat("OpenMP 'requires' directive with non-identical clauses in multiple compilation units: "
                        "'%s' vs. '%s'",
                        require_names(before, one, sizeof one), require_names(mask, other, sizeof other));
}
