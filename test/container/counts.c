/* A program's view: one line "procs P max M team T capabilities C origin O". The team is the default one. `wide` first
   widens the affinity mask to CPUs that were taken away (argument: the list of CPUs, separated by blanks). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "ghcomp.h"

#define OURS(name) ((__typeof__(&name))dlsym(RTLD_DEFAULT, #name))

int main(int argc, char **argv)
{
    if (OURS(ghcomp_num_capabilities) == NULL) {
        printf("not our runtime\n");
        return 2;
    }
    if (argc > 1) {
        cpu_set_t set;
        CPU_ZERO(&set);
        for (int i = 1; i < argc; i++)
            CPU_SET(atoi(argv[i]), &set);
        if (sched_setaffinity(0, sizeof set, &set) != 0) {
            perror("sched_setaffinity");
            return 1;
        }
    }
    int team = 0;
#pragma omp parallel
#pragma omp single
    team = omp_get_num_threads();
    OURS(ghcomp_host_name)(); /* chooses the host when the region had no worker */
    printf("procs %d max %d team %d capabilities %d origin %s\n", omp_get_num_procs(), omp_get_max_threads(), team,
           OURS(ghcomp_num_capabilities)(), OURS(ghcomp_host_origin)());
    return 0;
}
