/* Two masters that alternate: each finds its own workers' thread-private data. (Beside Haskell masters share their
   workers; GHCOMP_SHARE says not to.)
   env: GHCOMP_SHARE=sticky
   symbols: GOMP_parallel */
#include <omp.h>
#include <pthread.h>

#include "../common.h"

static int value = -1;
#pragma omp threadprivate(value)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;

static void *master(void *argument)
{
    int number = (int)(long)argument;
    for (int pass = 0; pass < 50; pass++) {
        pthread_mutex_lock(&lock);
        while (turn % 2 != number)
            pthread_cond_wait(&changed, &lock);
        int right = 0;
#pragma omp parallel num_threads(4) reduction(+ : right)
        {
            int me = 1000 * number + omp_get_thread_num();
            right += pass == 0 || value == me + 10 * (pass - 1);
            value = me + 10 * pass;
        }
        CHECK(right == 4);
        turn++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    omp_set_dynamic(0);
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        CHECK(pthread_create(&threads[i], NULL, master, (void *)i) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    return 0;
}
