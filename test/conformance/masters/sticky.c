/* A master keeps its workers from region to region, whatever other masters do meanwhile: threadprivate data persist.
   env: GHCOMP_SHARE=sticky OMP_DYNAMIC=false
   hosts: posix ghc */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MASTERS = 8, THREADS = 3, ROUNDS = 200 };

static int mine = -1;
#pragma omp threadprivate(mine)

static pthread_barrier_t together;

static void *master(void *data)
{
    int number = (int)(long)data, wrong = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : wrong)
    {
        wrong += omp_get_num_threads() != THREADS;
        mine = number * 1000 + omp_get_thread_num();
    }
    pthread_barrier_wait(&together);
    for (int round = 1; round <= ROUNDS; round++) {
#pragma omp parallel num_threads(THREADS) reduction(+ : wrong)
        {
            wrong += omp_get_num_threads() != THREADS;
            wrong += mine != number * 1000 + omp_get_thread_num() + 10 * (round - 1);
            mine += 10;
        }
        if (round % 50 == 0)
            pthread_barrier_wait(&together); /* all idle at a time */
    }
    return (void *)(long)wrong;
}

int main(void)
{
    pthread_t threads[MASTERS];
    pthread_barrier_init(&together, NULL, MASTERS);
    for (long i = 0; i < MASTERS; i++)
        pthread_create(&threads[i], NULL, master, (void *)i);
    for (int i = 0; i < MASTERS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        if (wrong != NULL) {
            printf("master %d: %ld members with another team or other data\n", i, (long)wrong);
            return 1;
        }
    }
    return 0;
}
