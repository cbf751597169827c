/* Which object serves the OpenMP code of a program that has the Haskell library in it.
 *
 * A static program defines every GOMP_* and omp_* name itself and comes first in the loader's search: nothing can take
 * them away. In a -dynamic program the names are in the library's shared object, and an object that stands before it
 * takes them all: a libgomp that the program links itself, or a preloaded drop-in. C code then runs on that one, and
 * what is set here does not reach it. The library says so when it is loaded. Later is too late: such a program's
 * regions never pass by here.
 *
 * Called by GHC.OpenMP's `runtime` and by the loader. Covered by test/hs/linking/.
 */
#include <dlfcn.h>

#include "core/check.h"

__attribute__((visibility("default"))) const char *ghcomp_hs_other_runtime(void);

/* The object that the loader takes a name from; false when it knows no such name. */
static bool provider(const char *name, Dl_info *info)
{
    const void *found = dlsym(RTLD_DEFAULT, name);
    return found != NULL && dladdr(found, info) != 0;
}

/* The file of the object that serves instead of us, NULL when we do. The loader is asked what a library that needs
   GOMP_parallel would get; where it knows none (objects that GHC's own linker loaded) nobody else can serve. The string
   lasts as long as the object is loaded. Never waits and calls nothing back: from Haskell an unsafe call. */
const char *ghcomp_hs_other_runtime(void)
{
    static const char here;
    Dl_info other, ours;
    if (!provider("GOMP_parallel", &other) || dladdr(&here, &ours) == 0 || other.dli_fbase == ours.dli_fbase)
        return NULL;
    return other.dli_fname;
}

__attribute__((constructor)) static void warn_of_other_runtime(void)
{
    const char *other = ghcomp_hs_other_runtime();
    if (other == NULL)
        return;
    Dl_info parallel, version;
    bool dropin = provider("ghcomp_version", &version) && provider("GOMP_parallel", &parallel) &&
                  version.dli_fbase == parallel.dli_fbase;
    if (dropin)
        ghcomp_warn("OpenMP code of this process runs on the drop-in %s, not on the runtime that the program has in "
                    "it: start it without the drop-in (LD_PRELOAD, ghcomp run)", other);
    else
        ghcomp_warn("OpenMP code of this process runs on %s, not on ghc-openmp: leave -lgomp and -fopenmp out of the "
                    "program's link (ld-options, ghc-options, extra-libraries); cc-options is the place of -fopenmp",
                    other);
}
