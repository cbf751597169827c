/* A region in the destructor of a shared library that the program loads, closes and loads again, and that is still
   loaded at exit. The program builds the library from its own source.
   ghcomp-only: nothing else needs libgomp here, so closing the library unloads it under its threads, which crash
   expect-stdout: \A(unloaded\n){3}\Z
   symbols: GOMP_parallel */
#ifdef LIBRARY
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int regions_of_library(void)
{
    int sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
    sum += 1;
    return sum;
}

__attribute__((destructor)) static void at_unload(void)
{
    if (regions_of_library() != 4) {
        fprintf(stderr, "the destructor's region has not four threads\n");
        _Exit(1);
    }
    if (write(STDOUT_FILENO, "unloaded\n", 9) != 9)
        _Exit(1);
}
#else
#include <dlfcn.h>
#include <unistd.h>

#include "../common.h"

int main(void)
{
    char path[64], command[512];
    snprintf(path, sizeof path, "/tmp/ghcomp-test-%d.so", (int)getpid());
    snprintf(command, sizeof command,
             "env -u LD_LIBRARY_PATH -u LD_PRELOAD gcc -fopenmp -shared -fPIC -DLIBRARY %s -o %s",
             __FILE__, path);
    CHECK(system(command) == 0);
    for (int i = 0; i < 3; i++) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (library == NULL)
            fprintf(stderr, "%s\n", dlerror());
        CHECK(library != NULL);
        int (*regions)(void) = (int (*)(void))dlsym(library, "regions_of_library");
        CHECK(regions != NULL && regions() == 4);
        if (i < 2)
            CHECK(dlclose(library) == 0);
    }
    unlink(path);
    return 0;
}
#endif
