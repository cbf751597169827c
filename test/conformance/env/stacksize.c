/* OMP_STACKSIZE: a worker's stack has the size asked for, and holds that much.
   env: OMP_STACKSIZE=24M
   cflags: -Wno-unused-result */
#define _GNU_SOURCE
#include <alloca.h>
#include <omp.h>
#include <pthread.h>

#include "../common.h"

int main(void)
{
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
        pthread_attr_t attributes;
        size_t size;
        CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0);
        CHECK(pthread_attr_getstacksize(&attributes, &size) == 0);
        pthread_attr_destroy(&attributes);
        CHECK(size >= (24u << 20) && size < (40u << 20));
        enum { LARGE = 20 << 20 };
        volatile char *room = alloca(LARGE);
        for (int i = LARGE - 1; i >= 0; i -= 4096)
            room[i] = 1;
    }
    return 0;
}
