/* fork() while another thread is in the loader: it loads and unloads libraries, and walks the list of loaded objects.
   The child's loader may be locked for ever; its regions must not need it.
   ghcomp-only: libgomp hangs in the child
   hosts: posix ghc auto
   symbols: GOMP_parallel */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common.h"
#include "../gate.h"

static int stop, walked, loaded;

static int look_for_long(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)info, (void)size, (void)unused;
    for (volatile int i = 0; i < 2000; i++)
        ;
    return 0;
}

static void *walks(void *unused)
{
    (void)unused;
    while (!look(&stop)) {
        dl_iterate_phdr(look_for_long, NULL);
        count_up(&walked);
    }
    return NULL;
}

static void *loads(void *unused)
{
    (void)unused;
    while (!look(&stop)) {
        void *library = dlopen("libBrokenLocale.so.1", RTLD_NOW); /* of the C library's package, and small */
        if (library != NULL)
            dlclose(library);
        count_up(&loaded);
    }
    return NULL;
}

static int team(int size)
{
    int sum = 0;
#pragma omp parallel num_threads(size) reduction(+ : sum)
    sum += 1;
    return sum;
}

static void forks(int times)
{
    for (int i = 0; i < times; i++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            alarm(60);
            _exit(team(3) == 3 && team(5) == 5 ? 0 : 1);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(!WIFSIGNALED(status)); /* SIGALRM: it hung */
        CHECK(WEXITSTATUS(status) == 0);
    }
}

int main(void)
{
    pthread_t walker, loader;
    omp_set_dynamic(0);
    CHECK(pthread_create(&walker, NULL, walks, NULL) == 0);
    CHECK(pthread_create(&loader, NULL, loads, NULL) == 0);
    wait_until(&walked, 3);
    wait_until(&loaded, 3);
    forks(40); /* before any region of the parent's */
    CHECK(team(3) == 3);
    forks(40);
    open_gate(&stop);
    CHECK(pthread_join(walker, NULL) == 0 && pthread_join(loader, NULL) == 0);
    return 0;
}
