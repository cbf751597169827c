/* sections: each section once, whatever the team; nowait, combined with parallel, lastprivate, more sections than
   members and fewer.
   symbols: GOMP_sections_start GOMP_sections_next GOMP_sections_end GOMP_sections_end_nowait GOMP_parallel_sections */
#include <omp.h>

#include "../common.h"

static int hits[5];

static void hit(int section)
{
#pragma omp atomic
    hits[section]++;
}

static void check(int times)
{
    for (int i = 0; i < 5; i++)
        CHECK(hits[i] == times);
    memset(hits, 0, sizeof hits);
}

#define FIVE                    \
    {                           \
        _Pragma("omp section")  \
        hit(0);                 \
        _Pragma("omp section")  \
        hit(1);                 \
        _Pragma("omp section")  \
        hit(2);                 \
        _Pragma("omp section")  \
        hit(3);                 \
        _Pragma("omp section")  \
        hit(4);                 \
    }

int main(void)
{
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 9; threads++) {
#pragma omp parallel num_threads(threads)
        {
#pragma omp sections
            FIVE
#pragma omp single
            check(1);
            for (int i = 0; i < 100; i++)
#pragma omp sections nowait
                FIVE
        }
        check(100);
#pragma omp parallel sections num_threads(threads)
        FIVE
        check(1);
        int last = -1;
#pragma omp parallel sections num_threads(threads) lastprivate(last)
        {
#pragma omp section
            last = 1;
#pragma omp section
            last = 2;
#pragma omp section
            last = 3;
        }
        CHECK(last == 3);
    }
#pragma omp sections
    FIVE
    check(1);
    return 0;
}
