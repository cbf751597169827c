/* GOMP_parallel_start and GOMP_parallel_end, as compilers before GCC 4.9 called them.
   symbols: GOMP_parallel_start GOMP_parallel_end */
#include <omp.h>

#include "../common.h"

void GOMP_parallel_start(void (*fn)(void *), void *data, unsigned num_threads);
void GOMP_parallel_end(void);

static void body(void *data)
{
    int *seen = data;
    seen[omp_get_thread_num()] += omp_get_num_threads();
}

int main(void)
{
    omp_set_dynamic(0);
    for (unsigned size = 1; size <= 5; size++) {
        int seen[5] = {0};
        GOMP_parallel_start(body, seen, size);
        CHECK(omp_in_parallel() == (size > 1) && omp_get_level() == 1);
        body(seen);
        GOMP_parallel_end();
        for (unsigned i = 0; i < 5; i++)
            CHECK(seen[i] == (i < size ? (int)size : 0));
        CHECK(omp_get_level() == 0);
    }
    return 0;
}
