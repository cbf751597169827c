/* With dyn-var on a combined region has no more threads than it has sections, as on libgomp; without it, as many as it
   asks for. In clang's code, as on libomp, the number of sections does not matter.
   symbols: GOMP_parallel_sections */
#include <omp.h>

#include "../common.h"

static int of_one(int threads)
{
    int size = 0;
#pragma omp parallel sections num_threads(threads)
    {
#pragma omp section
        size = omp_get_num_threads();
    }
    return size;
}

static int of_two(void)
{
    int size = 0;
#pragma omp parallel sections reduction(max : size)
    {
#pragma omp section
        size = omp_get_num_threads();
#pragma omp section
        size = omp_get_num_threads();
    }
    return size;
}

int main(void)
{
    omp_set_dynamic(0);
    omp_set_num_threads(4);
    CHECK(of_one(3) == 3 && of_two() == 4);
    omp_set_dynamic(1);
#ifndef __clang__
    CHECK(of_one(3) == 1 && of_two() <= 2);
#endif
    return 0;
}
