/* A `target nowait` that no thread waits for is complete when the process ends; and the child of a fork() that happens
 * while one runs does not wait for it, and has its own; threads of the program that make some may end.
 *
 * ghcomp-only: libomp crashes in a thread of the program, at the end, and in the child
 * limit: 60
 * expect-stdout: ^the last region$
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kmp.h"

static atomic_int gate;
#pragma clang diagnostic ignored "-Wopenmp-mapping" /* the device is the host */

static void in_child(void)
{
    int a = 0;
#pragma omp taskwait
#pragma omp target nowait map(tofrom : a) depend(out : a)
    a = 1;
#pragma omp target nowait map(tofrom : a) depend(inout : a)
    a += 10;
#pragma omp taskwait
    _exit(a != 11);
}

static void forks(void)
{
    int status;
#pragma omp target nowait
    {
        while (gate == 0)
            sched_yield();
    }
    pid_t child = fork();
    if (child == 0)
        in_child();
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    gate = 1;
#pragma omp taskwait
}

static void *in_thread(void *unused)
{
    int a = 0;
#pragma omp target nowait map(tofrom : a) depend(out : a)
    {
        while (gate == 0)
            sched_yield();
        a = 1;
    }
    gate = 1;
#pragma omp taskwait depend(in : a)
    CHECK(a == 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 3; i++) {
        gate = 0;
        CHECK(pthread_create(&thread, NULL, in_thread, NULL) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    for (int i = 0; i < 10; i++) {
        gate = 0;
        forks();
    }
#pragma omp target nowait
    {
        usleep(200000);
        puts("the last region");
    }
    return 0;
}
