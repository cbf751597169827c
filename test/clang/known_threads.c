/* How many threads the runtime knows: the caller at first, all of a region's after it, and each other one that has
   come.
   symbols: kmp_get_num_known_threads kmp_get_num_known_threads_ */
#include <omp.h>
#include <pthread.h>

#include "kmp.h"

int kmp_get_num_known_threads(void);
int kmp_get_num_known_threads_(void);

static void *other(void *arg)
{
    int before = *(int *)arg;
    omp_set_num_threads(1); /* a new thread's regions are as the environment says */
    CHECK(region_size() == 1 && kmp_get_num_known_threads() == before + 1);
    return NULL;
}

int main(void)
{
    omp_set_dynamic(0);
    CHECK(kmp_get_num_known_threads() == 1 && kmp_get_num_known_threads_() == 1);
    int sizes[] = {2, 5, 3};
    for (int i = 0; i < 3; i++) {
        omp_set_num_threads(sizes[i]);
        CHECK(region_size() == sizes[i]);
        int known = kmp_get_num_known_threads_();
        CHECK(known >= sizes[i] && known <= 5);
    }
    omp_set_num_threads(1);
    CHECK(region_size() == 1);
    int known = kmp_get_num_known_threads();
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, other, &known) == 0 && pthread_join(thread, NULL) == 0);
    return 0;
}
