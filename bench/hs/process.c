/* Which runtime serves the process, and how many threads it has. What only ghc-openmp has is looked up by name, since
 * the same code runs on runtimes without it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "process.h"

const char *bench_served_by(void)
{
    Dl_info info;
    void *entry = dlsym(RTLD_DEFAULT, "GOMP_parallel");
    return entry != NULL && dladdr(entry, &info) != 0 ? info.dli_fname : "?";
}

const char *bench_host(void)
{
    const char *(*host)(void) = (const char *(*)(void))dlsym(RTLD_DEFAULT, "ghcomp_host_name");
    return host != NULL ? host() : "";
}

long bench_os_threads(void)
{
    char line[256];
    long threads = -1;
    FILE *f = fopen("/proc/self/status", "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        sscanf(line, "Threads: %ld", &threads);
    if (f != NULL)
        fclose(f);
    return threads;
}

long bench_workers(void)
{
    int (*created)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "ghcomp_workers_created");
    return created != NULL ? created() : -1;
}
