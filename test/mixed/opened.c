/* Libraries that are opened while regions run: the program opens a library with regions, tasks and a threadprivate
   variable in it, uses it and closes it, again and again, in two threads at a time beside the regions of a third one,
   in children by fork(), and in a region's members. The library, opened_library.c, is compiled by another compiler or
   by the same one (opened.sh). */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OPENINGS = 200, CHILDREN = 20, ITERATIONS = 100, SUM = ITERATIONS * (ITERATIONS - 1) / 2 };

static const char *library;
static int stop;

static void fail(const char *what)
{
    fprintf(stderr, "opened.c: %s\n", what);
    _exit(1);
}

static void open_use_close(void)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        fail(dlerror());
    int (*work)(int) = (int (*)(int))dlsym(handle, "opened_work");
    if (work == NULL || work(ITERATIONS) != SUM)
        fail("a wrong sum in the library");
    dlclose(handle);
}

static void own_region(void)
{
    int sum = 0, members = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum, members)
    {
        members++;
#pragma omp for
        for (int i = 0; i < ITERATIONS; i++)
            sum += i;
    }
    if (sum != SUM || members != 2)
        fail("a wrong sum or team in the program");
}

static void *run_regions(void *unused)
{
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE))
        own_region();
    return unused;
}

static void *open_often(void *unused)
{
    for (int i = 0; i < OPENINGS; i++)
        open_use_close();
    return unused;
}

/* No thread is in the loader meanwhile: the C library's loader does not survive a fork() amid a dlopen(). */
static void fork_and_open(void)
{
    pid_t child = fork();
    if (child == 0) {
        own_region();
        open_use_close();
        own_region();
        _exit(0);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        fail("a child failed");
}

int main(int argc, char **argv)
{
    if (argc != 2)
        fail("usage: opened LIBRARY");
    library = argv[1];
    pthread_t regions, openings;
    if (pthread_create(&regions, NULL, run_regions, NULL) != 0 ||
        pthread_create(&openings, NULL, open_often, NULL) != 0)
        fail("no threads");
    open_often(NULL);
    pthread_join(openings, NULL);
    for (int i = 0; i < CHILDREN; i++) {
        fork_and_open();
        own_region();
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    pthread_join(regions, NULL);
#pragma omp parallel num_threads(3)
    open_use_close();
    return 0;
}
