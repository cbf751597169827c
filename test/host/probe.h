/* Shared by the programs here: a parallel region whose threads report their home Capabilities, and what ghcomp.h
   reports of the host. The runtime's own functions are looked up, because the program is linked with libgomp.so and run
   with the drop-in. */
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "ghcomp.h"

#define OURS(name) ((__typeof__(&name))ours(#name))

static void *ours(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    if (found == NULL) {
        printf("not our runtime: no %s\n", name);
        exit(2);
    }
    return found;
}

enum { MOST = 64 };

/* One line: name/origin/version Capabilities: home Capabilities by thread number. `enter` is called by each thread and
   may be NULL; its results follow the homes. */
static void probe(const char *label, int threads, int (*enter)(int))
{
    int homes[MOST], entered[MOST], team = 0;
#pragma omp parallel num_threads(threads)
    {
        int me = omp_get_thread_num();
        homes[me] = OURS(ghcomp_thread_capability)();
        entered[me] = enter != NULL ? enter(me) : 0;
#pragma omp master
        team = omp_get_num_threads();
    }
    const char *name = OURS(ghcomp_host_name)(); /* chooses the host when the region had no worker */
    printf("%s: %s/%s/%s %d:", label, name, OURS(ghcomp_host_origin)(), OURS(ghcomp_ghc_version)(),
           OURS(ghcomp_num_capabilities)());
    for (int i = 0; i < team; i++)
        printf(" %d", homes[i]);
    if (enter != NULL) {
        printf(" |");
        for (int i = 0; i < team; i++)
            printf(" %d", entered[i]);
    }
    printf("\n");
    fflush(stdout);
}
