/* Libraries that use OpenMP come and go (dlopen, dlclose) in several threads, while other threads are in regions. Each
   library has regions, nested ones and tasks, and a region in its constructor and in its destructor. The program builds
   the library from its own source. loader_alone.c is the same in a process that is not linked with an OpenMP runtime.
   hosts: posix ghc auto
   limit: 60
   deep-limit: 900
   symbols: GOMP_parallel */
#ifdef LIBRARY
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int threads_of(int size)
{
    int sum = 0;
#pragma omp parallel num_threads(size) reduction(+ : sum)
    {
#pragma omp barrier
        sum += 1;
    }
    return sum;
}

int work(int size);
int work(int size)
{
    int sum = 0, tasks = 0;
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += threads_of(size);
#pragma omp parallel num_threads(size)
#pragma omp single
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(tasks)
        {
#pragma omp atomic
            tasks++;
        }
    }
    return sum == 2 * size && tasks == 20;
}

__attribute__((constructor, destructor)) static void comes_and_goes(void)
{
    omp_set_dynamic(0);
    if (threads_of(3) != 3) {
        fprintf(stderr, "a region of a constructor or destructor has not three threads\n");
        _Exit(1);
    }
}
#else
#include <dlfcn.h>

#ifdef ALONE /* no OpenMP in this program */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

#include "../conformance/common.h"
#include "../conformance/gate.h"

static int times(int short_run, int deep_run)
{
    const char *text = getenv("GHCOMP_DEEP");
    return text != NULL && strcmp(text, "1") == 0 ? deep_run : short_run;
}
#else
#include "hostile.h"
#endif

enum { LOADERS = 3 };

static char folder[64];
static int stop, often, in_regions;

static void make_libraries(void)
{
    char command[2000];
    strcpy(folder, "/tmp/ghcomp-test-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    snprintf(command, sizeof command,
             "env -u LD_LIBRARY_PATH -u LD_PRELOAD sh -c 'gcc -O1 -fopenmp -shared -fPIC -DLIBRARY %s -o %s/0.so && "
             "for i in 1 2 3; do cp %s/0.so %s/$i.so; done'",
             __FILE__, folder, folder, folder);
    CHECK(system(command) == 0);
}

static void remove_libraries(void)
{
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK(system(command) == 0);
}

/* Library 3 is everybody's, the others are one thread's each: those are really unloaded each time. */
static void *loader(void *argument)
{
    int me = (int)(intptr_t)argument;
    for (int i = 0; i < often; i++) {
        char path[100];
        snprintf(path, sizeof path, "%s/%d.so", folder, i % 4 == 3 ? 3 : me);
        void *library = dlopen(path, RTLD_NOW | (i % 2 == 0 ? RTLD_LOCAL : RTLD_GLOBAL));
        if (library == NULL)
            fprintf(stderr, "%s\n", dlerror());
        CHECK(library != NULL);
        void *found = dlsym(library, "work");
        int (*work)(int) = NULL;
        memcpy(&work, &found, sizeof work);
        CHECK(work != NULL && work(1 + i % 4));
        CHECK(dlclose(library) == 0);
    }
    return NULL;
}

#ifndef ALONE
static void *regions(void *unused)
{
    (void)unused;
    exact();
    while (!look(&stop)) {
        CHECK(team(4) == 4);
        CHECK(nested(2, 2) == 4);
        count_up(&in_regions);
    }
    return NULL;
}
#endif

int main(void)
{
    pthread_t loaders[LOADERS];
    often = times(12, 1500);
    make_libraries();
#ifndef ALONE
    pthread_t others[2];
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&others[i], NULL, regions, NULL) == 0);
    wait_until(&in_regions, 2);
#endif
    for (intptr_t i = 0; i < LOADERS; i++)
        CHECK(pthread_create(&loaders[i], NULL, loader, (void *)i) == 0);
    for (int i = 0; i < LOADERS; i++)
        CHECK(pthread_join(loaders[i], NULL) == 0);
#ifndef ALONE
    int before = look(&in_regions);
    wait_until(&in_regions, before + 4);
    open_gate(&stop);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(others[i], NULL) == 0);
#else
    (void)stop, (void)in_regions;
#endif
    remove_libraries();
    return 0;
}
#endif
