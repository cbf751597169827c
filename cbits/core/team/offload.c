/* LLVM's library for devices, libomptarget.
 *
 * A program that clang has built with -fopenmp-targets brings the library along; it runs the target regions of clang's
 * code, and calls the runtime for tasks. The runtime asks it for the number of devices, and forwards routines for
 * device memory to it. It finds the library's functions by name, as libomp does. Each name is looked up with the
 * library's own symbol version: without a version the lookup would find this object's own symbol.
 *
 * The library's file must be in the global scope of the process, as it is when the program, or a library that it has
 * loaded with RTLD_GLOBAL, is linked with it.
 *
 * Called by target.c, abi/omp/omp_{device,interop,target}.c. Covered by test/programs/offload.sh. */
#include "core/team/offload.h"

#include <dlfcn.h>
#include <stddef.h>

#include "base/check.h"
#include "core/state/settings.h"

ghcomp_offload_routine *ghcomp_offload_find(const char *name)
{
    return (ghcomp_offload_routine *)dlvsym(RTLD_DEFAULT, name, "VERS1.0");
}

/* Compiled code gives the library numbers of devices, so there is no place to change them. */
static void warn_of_selection(void)
{
    static _Atomic bool warned;
    if (!ghcomp_xchg_acqrel(&warned, true))
        ghcomp_warn("OMP_AVAILABLE_DEVICES: libomptarget numbers the devices, and all of them are available; take '*', "
                    "or the variables of the devices' own libraries");
}

int ghcomp_offload_devices(void)
{
    int (*ask)(void) = (int (*)(void))ghcomp_offload_find("omp_get_num_devices");
    int devices = ask != NULL ? ask() : 0;
    if (ghcomp_unlikely(devices > 0 && ghcomp_settings.devices != GHCOMP_DEVICES_ALL))
        warn_of_selection();
    return devices;
}
