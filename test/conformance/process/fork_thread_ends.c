/* The child of a fork() by a thread other than main ends when that thread does, by a return or by pthread_exit,
   although its team has workers. The runtime knows the thread before the fork, or learns of it in the child.
   ghcomp-only: libgomp hangs in the child of a thread that it knows
   hosts: posix ghc
   symbols: GOMP_parallel */
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common.h"

enum { KNOWN = 1, IN_CHILD = 2, BY_EXIT = 4, CASES = 8 };

static void region(void)
{
    int sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    sum += 1;
    CHECK(sum == 3);
}

static void *body(void *kind)
{
    uintptr_t how = (uintptr_t)kind;
    if (how & KNOWN)
        region();
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        alarm(20);
        if (how & IN_CHILD)
            region();
        if (how & BY_EXIT)
            pthread_exit(NULL);
        return NULL;
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    if (status != 0) {
        fprintf(stderr, "case %d: status %x\n", (int)how, (unsigned)status);
        exit(1);
    }
    return NULL;
}

int main(void)
{
    omp_set_dynamic(0);
    for (uintptr_t how = 0; how < CASES; how++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, body, (void *)how) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    return 0;
}
