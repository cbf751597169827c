/* pthread_cancel of threads that wait for admission (GHCOMP_SHARE=all: masters take turns): more masters than CPUs,
   each with regions that are as large as the machine; every one is cancelled at some moment. The cancellation acts
   between regions, the queue goes on, and no thread waits for ever.
   env: GHCOMP_SHARE=all
   hosts: posix ghc
   limit: 60
   deep-limit: 900
   symbols: GOMP_parallel */
#include "hostile.h"

static int regions, cancelled_threads;

static void *master(void *argument)
{
    int *complete = argument, size = omp_get_num_procs() > 1 ? omp_get_num_procs() : 2;
    exact();
    for (;;) {
        *complete = 0;
        int sum = 0;
#pragma omp parallel num_threads(size) reduction(+ : sum)
        {
            for (volatile int i = 0; i < 3000; i++)
                ;
            sum += 1;
        }
        CHECK(sum == size);
        *complete = 1;
        count_up(&regions);
        pthread_testcancel();
    }
    return NULL;
}

int main(void)
{
    enum { MASTERS = 6 };
    uint64_t state = deep() ? (uint64_t)getpid() : 1;
    for (int turn = 0, turns = times(25, 3000); turn < turns; turn++) {
        pthread_t threads[MASTERS];
        int complete[MASTERS];
        for (int i = 0; i < MASTERS; i++)
            CHECK(pthread_create(&threads[i], NULL, master, &complete[i]) == 0);
        wait_until(&regions, look(&regions) + MASTERS);
        for (int i = 0; i < MASTERS; i++) {
            usleep(draw(&state, 3000));
            CHECK(pthread_cancel(threads[i]) == 0);
        }
        for (int i = 0; i < MASTERS; i++) {
            void *result;
            CHECK(pthread_join(threads[i], &result) == 0);
            CHECK(result == PTHREAD_CANCELED && complete[i]);
            count_up(&cancelled_threads);
        }
        exact();
        CHECK(team(3) == 3);
    }
    printf("%d threads, %d regions\n", cancelled_threads, regions);
    return 0;
}
