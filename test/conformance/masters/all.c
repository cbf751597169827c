/* Where masters lend each other their workers, teams still have the size that was asked for, whatever came before:
   masters that come and go, sizes that change, inner regions, a region in each that waits for another master's.
   env: GHCOMP_SHARE=all OMP_DYNAMIC=false OMP_MAX_ACTIVE_LEVELS=2
   hosts: posix ghc */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MASTERS = 8, LIVES = 3, ROUNDS = 60 };

static int wrong;
static int met[MASTERS];

static void check(int threads, int expected)
{
    if (threads != expected) {
#pragma omp atomic
        wrong++;
    }
}

static void regions(int number, unsigned seed)
{
    for (int i = 0; i < ROUNDS; i++) {
        seed = seed * 1103515245u + 12345u;
        int size = 2 + (int)(seed >> 16) % 5, inner = (seed >> 24) % 8 == 0 ? 3 : 1;
        int members = 0, inside = 0;
#pragma omp parallel num_threads(size) reduction(+ : members, inside)
        {
            check(omp_get_num_threads(), size);
            members++;
#pragma omp parallel num_threads(inner) reduction(+ : inside)
            {
                check(omp_get_num_threads(), inner);
                inside++;
            }
#pragma omp barrier
        }
        check(members, size);
        check(inside, size * inner);
    }
    /* In pairs: each waits inside its region for the other one's. */
#pragma omp parallel num_threads(4)
    {
        check(omp_get_num_threads(), 4);
#pragma omp master
        {
#pragma omp atomic
            met[number]++;
            int there, here;
            do {
#pragma omp atomic read
                there = met[number ^ 1];
#pragma omp atomic read
                here = met[number];
            } while (there < here);
        }
    }
}

static void *one_life(void *data)
{
    regions((int)((long)data % MASTERS), (unsigned)(long)data + 1);
    return NULL;
}

static void *master(void *data)
{
    for (long i = 0; i < LIVES; i++) {
        pthread_t life;
        pthread_create(&life, NULL, one_life, (void *)((long)data + i * MASTERS));
        pthread_join(life, NULL);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[MASTERS];
    for (long i = 0; i < MASTERS; i++)
        pthread_create(&threads[i], NULL, master, (void *)i);
    for (int i = 0; i < MASTERS; i++)
        pthread_join(threads[i], NULL);
    if (wrong != 0)
        printf("%d times a team, or what it counted, was not as large as asked for\n", wrong);
    return wrong != 0;
}
