/* Sixteen POSIX threads, each in its own loop of regions of its own sizes, all at once.
   limit: 60
   symbols: GOMP_parallel GOMP_barrier */
#include <omp.h>
#include <pthread.h>

#include "../common.h"

static void *master(void *argument)
{
    int number = (int)(long)argument;
    for (int pass = 0; pass < 100; pass++) {
        int size = 1 + (number + pass) % 5, sum = 0;
        int slot[5] = {0};
#pragma omp parallel num_threads(size) reduction(+ : sum)
        {
            slot[omp_get_thread_num()] = number;
            if (omp_get_num_threads() != size)
                sum += 1000;
#pragma omp barrier
            for (int i = 0; i < size; i++)
                sum += slot[i] == number;
        }
        CHECK(sum == size * size);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[16];
    for (long i = 0; i < 16; i++)
        CHECK(pthread_create(&threads[i], NULL, master, (void *)(i + 1)) == 0);
    for (int i = 0; i < 16; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    return 0;
}
