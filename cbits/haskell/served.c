/* Which OpenMP runtime the process reaches: this library's, or another one that comes before it.
 *
 * In a -dynamic program that links libgomp itself, or gets it preloaded, the loader binds the program's GOMP_ and omp_
 * names to libgomp. (This library's own uses of them stay here: GHC links shared libraries with -Bsymbolic. So settings
 * made from Haskell would not reach the regions.) The program works, but not on this runtime: that is said once, when
 * the library is loaded, since nothing else would show it. A statically linked program has the names itself, and they
 * are ours.
 *
 * Called by GHC.OpenMP.Runtime and GHC.OpenMP.Settings. Covered by test/hs/runtime.
 */
#include <dlfcn.h>

#include "abi/abi.h"
#include "core/check.h"

GHCOMP_EXPORT const char *ghcomp_hs_serving_object(void);
GHCOMP_EXPORT int ghcomp_hs_serves(void);

static Dl_info reached; /* the object that has it; written at load, immutable after */
static bool ours = true;

static bool object_of(const void *address, Dl_info *info)
{
    return dladdr(address, info) != 0 && info->dli_fname != NULL;
}

/* The program's scope is asked: RTLD_DEFAULT would be ours, which begins with this library itself. It has no such name
   when we are in a scope of our own (dlopen with RTLD_LOCAL); who uses that scope reaches us. */
__attribute__((constructor)) static void look(void)
{
    Dl_info self;
    void *program = dlopen(NULL, RTLD_LAZY);
    if (program == NULL || !object_of(&reached, &self))
        return;
    const void *found = dlsym(program, "GOMP_parallel");
    dlclose(program);
    if (found == NULL || !object_of(found, &reached))
        reached = self;
    ours = reached.dli_fbase == self.dli_fbase;
    if (!ours)
        ghcomp_warn("OpenMP code of this program runs on %s, not on ghc-openmp; link without -lgomp, and give "
                    "-fopenmp to the C compiler alone (cc-options), not to the link",
                    reached.dli_fname);
}

/* The file whose GOMP_parallel the program calls, "" when the loader does not know. Static, not to be freed. */
const char *ghcomp_hs_serving_object(void)
{
    return reached.dli_fname != NULL ? reached.dli_fname : "";
}

/* Whether that is this library. */
int ghcomp_hs_serves(void)
{
    return ours;
}
