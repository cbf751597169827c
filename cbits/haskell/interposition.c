/* Which object serves OpenMP symbols in a program that has the Haskell library in it.
 *
 * A static program defines every GOMP_* and omp_* name itself and comes first in the loader's search order: no other
 * object can interpose them. In a -dynamic program the names are in the library's shared object. An object before it in
 * the search order interposes all of them: a libgomp that the program itself links, or a preloaded drop-in. C code then
 * uses that object, while Haskell bodies and this package's own calls use this runtime, because GHC links shared
 * libraries with -Bsymbolic. The two do not interfere, but they share no threads, and settings made from Haskell do not
 * affect C code. The library warns when it is loaded. It could not warn later: C regions of such a program never reach
 * this runtime.
 *
 * Called by the loader and by OpenMP's `runtime`. Covered by test/hs/linking/.
 */
#include <dlfcn.h>

#include "abi/abi.h"
#include "base/check.h"

GHCOMP_EXPORT const char *ghcomp_hs_serving_object(void);
GHCOMP_EXPORT int ghcomp_hs_serves(void);

/* Written by the constructor only. An object loaded later comes later in the search order and changes nothing. */
static Dl_info ours, serving;

/* Finds the object that the loader resolves a name to in an object that does not define it; false when there is none.
   RTLD_DEFAULT would not suffice: with -Bsymbolic the names of the calling object come first there. */
static bool provider(void *everything, const char *name, Dl_info *info)
{
    const void *found = dlsym(everything, name);
    return found != NULL && dladdr(found, info) != 0;
}

/* Asks the loader which GOMP_parallel a library would get. If there is none (GHC's own linker has loaded this object,
   or it was loaded with RTLD_LOCAL), no other object serves the symbols. */
__attribute__((constructor)) static void find_serving_object(void)
{
    static const char here;
    void *everything = dlopen(NULL, RTLD_LAZY);
    if (dladdr(&here, &ours) == 0 || everything == NULL || !provider(everything, "GOMP_parallel", &serving))
        serving = ours;
    if (serving.dli_fbase != ours.dli_fbase) {
        Dl_info version;
        if (provider(everything, "ghcomp_version", &version) && version.dli_fbase == serving.dli_fbase)
            ghcomp_warn("OpenMP code of this program runs on the drop-in %s, not on the runtime that the program has "
                        "in it; start it without the drop-in (LD_PRELOAD, ghcomp run)", serving.dli_fname);
        else
            ghcomp_warn("OpenMP code of this program runs on %s, not on ghc-openmp; link without -lgomp, and give "
                        "-fopenmp to the C compiler alone (cc-options), not to the link", serving.dli_fname);
    }
    if (everything != NULL)
        dlclose(everything);
}

/* The file whose GOMP_parallel the process's OpenMP code calls, "" when the loader does not know it. The string is
   valid as long as the object is loaded. Both functions read a word; Haskell calls them by unsafe calls. */
const char *ghcomp_hs_serving_object(void)
{
    return serving.dli_fname != NULL ? serving.dli_fname : "";
}

/* Whether this library serves the OpenMP symbols. */
int ghcomp_hs_serves(void)
{
    return serving.dli_fbase == ours.dli_fbase;
}
