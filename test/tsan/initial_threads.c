/* Two threads of the program have a region each, one after the other, in the same workers; pthread_join orders
   them. Racy: they run at the same time. */
#include "pair.h"

#include <pthread.h>

static int word, here;

static void *regions(void *unused)
{
    (void)unused;
    IF_RACY(meet(&here, 2);)
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1)
        word++;
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread[i], NULL, regions, NULL);
        IF_CORRECT(pthread_join(thread[i], NULL);)
    }
    IF_RACY(pthread_join(thread[0], NULL); pthread_join(thread[1], NULL);)
    return check("the word", word, 2);
}
