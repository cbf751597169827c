/* A cancellation is pending when a thread opens the process's first region, in which the runtime is set up: the region
   runs, the cancellation acts after it, and other threads' regions run.
   hosts: posix ghc
   symbols: GOMP_parallel */
#include <omp.h>
#include <pthread.h>

#include "../common.h"

static int team(int size)
{
    int sum = 0;
#pragma omp parallel num_threads(size) reduction(+ : sum)
    sum += 1;
    return sum;
}

static int inside, after;

static void *cancelled(void *unused)
{
    (void)unused;
    CHECK(pthread_cancel(pthread_self()) == 0);
    inside = team(3);
    pthread_testcancel();
    after = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    void *result;
    CHECK(pthread_create(&thread, NULL, cancelled, NULL) == 0);
    CHECK(pthread_join(thread, &result) == 0);
    CHECK(result == PTHREAD_CANCELED);
    CHECK(inside == 3 && after == 0);
    CHECK(team(4) == 4);
    return 0;
}
