/* Two locks in both orders: a thread opens the process's first region, for which the runtime asks the loader, while
   another thread has the loader's lock, because it loads a library, and opens a region in the library's constructor.
   Neither may wait for the other for ever. The program builds the library from its own source.
   hosts: posix ghc auto
   ldflags: -rdynamic
   limit: 60
   symbols: GOMP_parallel */
#ifdef LIBRARY
#include <stdio.h>
#include <stdlib.h>

extern void library_is_loading(void);

__attribute__((constructor)) static void constructor(void)
{
    int sum = 0;
    library_is_loading(); /* returns when the other thread waits in its region, as far as one can see */
#pragma omp parallel num_threads(3) reduction(+ : sum)
    sum += 1;
    if (sum != 3) {
        fprintf(stderr, "the constructor's region has not three threads\n");
        _Exit(1);
    }
}
#else
#include <dlfcn.h>

#include "hostile.h"

static int loading, chooser;

void library_is_loading(void);
void library_is_loading(void)
{
    open_gate(&loading);
    wait_for(&chooser);
    usleep(1000);
    until_asleep(look(&chooser), 0.1);
}

static void *chooses(void *unused)
{
    (void)unused;
    exact();
    wait_for(&loading);
    __atomic_store_n(&chooser, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
    CHECK(team(4) == 4);
    return NULL;
}

int main(void)
{
    char path[64], command[600];
    pthread_t thread;
    snprintf(path, sizeof path, "/tmp/ghcomp-test-%d.so", (int)getpid());
    snprintf(command, sizeof command,
             "env -u LD_LIBRARY_PATH -u LD_PRELOAD gcc -fopenmp -shared -fPIC -DLIBRARY %s -o %s", __FILE__, path);
    CHECK(system(command) == 0);
    CHECK(pthread_create(&thread, NULL, chooses, NULL) == 0);
    void *library = dlopen(path, RTLD_NOW);
    if (library == NULL)
        fprintf(stderr, "%s\n", dlerror());
    unlink(path);
    CHECK(library != NULL);
    CHECK(pthread_join(thread, NULL) == 0);
    exact();
    CHECK(team(5) == 5 && nested(2, 2) == 4);
    return 0;
}
#endif
