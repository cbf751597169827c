/* Which runtime serves the process, and how many threads it has. Functions of ghc-openmp alone are looked up by name,
 * since the same code runs on other runtimes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

double bench_cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

long bench_workers(void)
{
    int (*created)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "ghcomp_workers_created");
    return created != NULL ? created() : -1;
}

static struct {
    pthread_t thread;
    uint64_t opens, closes;
    long end, highest;
} watch;

uint64_t bench_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *watch_threads(void *unused)
{
    const struct timespec ten_ms = {0, 10000000};
    uint64_t now;
    do {
        nanosleep(&ten_ms, NULL);
        now = bench_now_ns();
        if (now >= watch.opens && (now < watch.closes || watch.highest == 0)) {
            watch.end = bench_os_threads() - 1;
            if (watch.end > watch.highest)
                watch.highest = watch.end;
        }
    } while (now < watch.closes);
    return unused;
}

void bench_watch(uint64_t opens, uint64_t closes)
{
    watch.opens = opens;
    watch.closes = closes;
    if (pthread_create(&watch.thread, NULL, watch_threads, NULL) != 0) {
        fprintf(stderr, "bench: cannot start a thread\n");
        _Exit(1);
    }
}

void bench_watched(long *end, long *highest)
{
    pthread_join(watch.thread, NULL);
    *end = watch.end;
    *highest = watch.highest;
}
