/* Which OpenMP runtime the process reaches: this library's, or another one that comes before it.
 *
 * In a -dynamic program that links libgomp itself, or gets it preloaded, the loader binds every GOMP_ and omp_ name to
 * libgomp, in this library too. The program works, but none of it on this runtime: that is said once, when the library
 * is loaded, since nothing else would show it. A statically linked program has the names itself, and they are ours.
 *
 * Called by GHC.OpenMP.Runtime and GHC.OpenMP.Settings. Covered by test/hs/runtime.
 */
#include <dlfcn.h>

#include "abi/abi.h"
#include "core/check.h"

GHCOMP_EXPORT const char *ghcomp_hs_serving_object(void);
GHCOMP_EXPORT int ghcomp_hs_serves(void);

static const char ours; /* an address inside of this library */

static Dl_info object_of(const void *address)
{
    Dl_info info;
    if (dladdr(address, &info) == 0 || info.dli_fname == NULL)
        return (Dl_info){.dli_fname = ""};
    return info;
}

/* The name is looked up as in the program's own code: it is exported, so the loader may bind it elsewhere. */
static Dl_info reached(void)
{
    return object_of((const void *)(uintptr_t)GOMP_parallel);
}

/* The file whose GOMP_parallel the program calls, "" when the loader does not know. Static, not to be freed. */
const char *ghcomp_hs_serving_object(void)
{
    return reached().dli_fname;
}

/* Whether that is this library. */
int ghcomp_hs_serves(void)
{
    return reached().dli_fbase == object_of(&ours).dli_fbase;
}

__attribute__((constructor)) static void tell_when_not(void)
{
    if (!ghcomp_hs_serves())
        ghcomp_warn("OpenMP code of this program runs on %s, not on ghc-openmp; link without -lgomp, and give "
                    "-fopenmp to the C compiler alone (cc-options), not to the link",
                    ghcomp_hs_serving_object());
}
