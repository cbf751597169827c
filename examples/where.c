/* where_print(): which OpenMP runtime serves this process, and where each thread of a team runs.
 *
 * The examples share it. Nothing here is needed to use ghc-openmp: a program that only computes needs no line
 * of code for it. The functions of ghcomp.h are looked up by name while the program runs, and not linked, so
 * that the same binary also starts on libgomp, which has no such functions. Everything goes to stderr, so
 * that what a program prints on stdout is the same on every runtime.
 */
#define _GNU_SOURCE
#include "where.h"
#include <dlfcn.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

static void *find(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}

void where_print(void)
{
    const char *(*version)(void) = (const char *(*)(void))find("ghcomp_version");
    const char *(*host_name)(void) = (const char *(*)(void))find("ghcomp_host_name");
    int (*num_capabilities)(void) = (int (*)(void))find("ghcomp_num_capabilities");
    int (*thread_capability)(void) = (int (*)(void))find("ghcomp_thread_capability");

    /* The runtime is asked after the first region: that is when it chooses its host. */
    enum { SHOWN = 16 };
    int cpu[SHOWN], capability[SHOWN], team = 0;
#pragma omp parallel
    {
        int me = omp_get_thread_num();
        if (me < SHOWN) {
            cpu[me] = sched_getcpu();
            capability[me] = thread_capability ? thread_capability() : -1;
        }
#pragma omp single
        team = omp_get_num_threads();
    }

    if (version && host_name) {
        int ghc = strcmp(host_name(), "ghc") == 0;
        fprintf(stderr, "runtime: ghc-openmp %s, threads of %s", version(), ghc ? "GHC's RTS" : "POSIX");
        if (ghc && num_capabilities)
            fprintf(stderr, " (%d Capabilities)", num_capabilities());
        fprintf(stderr, "\n");
    } else {
        Dl_info info;
        void *entry = find("GOMP_parallel");
        int known = entry && dladdr(entry, &info);
        fprintf(stderr, "runtime: %s, which is not ghc-openmp\n", known ? info.dli_fname : "unknown");
    }
    fprintf(stderr, "team:    %d threads:", team);
    for (int i = 0; i < team && i < SHOWN; i++) {
        fprintf(stderr, "%s thread %d on CPU %d", i ? "," : "", i, cpu[i]);
        if (capability[i] >= 0)
            fprintf(stderr, " (Capability %d)", capability[i]);
    }
    fprintf(stderr, "%s\n", team > SHOWN ? ", ..." : "");
}
