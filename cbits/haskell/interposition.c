/* Which object serves the OpenMP code of a program that has the Haskell library in it.
 *
 * A static program defines every GOMP_* and omp_* name itself and comes first in the loader's search: nothing can take
 * them away. In a -dynamic program the names are in the library's shared object, and an object that stands before it
 * takes them all: a libgomp that the program links itself, or a preloaded drop-in. C code then runs on that one.
 * Haskell bodies, and this package's own calls, stay on this runtime (GHC links shared libraries with -Bsymbolic), so
 * the two do not mix; but they share no threads, and settings made here do not reach C. The library says so when it is
 * loaded. Later is too late: such a program's C regions never pass by here.
 *
 * Called by the loader and by GHC.OpenMP's `runtime`. Covered by test/hs/linking/.
 */
#include <dlfcn.h>

#include "abi/abi.h"
#include "base/check.h"

GHCOMP_EXPORT const char *ghcomp_hs_serving_object(void);
GHCOMP_EXPORT int ghcomp_hs_serves(void);

/* Written by the constructor alone. What is loaded later comes later in the loader's search and changes nothing. */
static Dl_info ours, serving;

/* The object that the loader takes a name from when the name is not the asking object's own; false when it knows none.
   Not by RTLD_DEFAULT: there -Bsymbolic makes the names of the asking object the first. */
static bool provider(void *everything, const char *name, Dl_info *info)
{
    const void *found = dlsym(everything, name);
    return found != NULL && dladdr(found, info) != 0;
}

/* The loader is asked what a library that needs GOMP_parallel would get. Where it knows none (we are in objects that
   GHC's own linker loaded, or in a library loaded with RTLD_LOCAL) nobody else serves. */
__attribute__((constructor)) static void find_who_serves(void)
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

/* The file whose GOMP_parallel OpenMP code of the process calls, "" when the loader does not know. It lasts as long as
   the object is loaded. Both functions read a word, and are unsafe calls in Haskell. */
const char *ghcomp_hs_serving_object(void)
{
    return serving.dli_fname != NULL ? serving.dli_fname : "";
}

/* Whether that is this library. */
int ghcomp_hs_serves(void)
{
    return serving.dli_fbase == ours.dli_fbase;
}
