/* The process's first region, with tasks, is opened by a thread whose stack has 24 KiB, or the least that a thread's
   must have (128 KiB on aarch64).
   hosts: posix ghc
   symbols: GOMP_parallel GOMP_task */
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include "../common.h"

static long threads, tasks;

static void *region(void *unused)
{
    (void)unused;
#pragma omp parallel num_threads(3)
    {
#pragma omp atomic
        threads++;
#pragma omp single
        for (int i = 0; i < 10; i++) {
#pragma omp task
            {
#pragma omp atomic
                tasks++;
            }
        }
    }
    return NULL;
}

int main(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    CHECK(pthread_attr_init(&attributes) == 0);
    long least = sysconf(_SC_THREAD_STACK_MIN), size = least > 24 << 10 ? least : 24 << 10;
    CHECK(pthread_attr_setstacksize(&attributes, (size_t)size) == 0);
    CHECK(pthread_create(&thread, &attributes, region, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(threads == 3 && tasks == 10);
    return 0;
}
