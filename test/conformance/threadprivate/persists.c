/* Thread-private data persists from region to region of one master, in teams of one size, for any number of regions.
   symbols: GOMP_parallel */
#include <omp.h>

#include "../common.h"

static int value = -1;
#pragma omp threadprivate(value)

int main(void)
{
    omp_set_dynamic(0);
#pragma omp parallel num_threads(5)
    value = 100 + omp_get_thread_num();
    for (int pass = 0; pass < 100; pass++) {
        int right = 0;
#pragma omp parallel num_threads(5) reduction(+ : right)
        right += value == 100 + pass + omp_get_thread_num();
        CHECK(right == 5);
        if (pass % 3 == 0) {
            /* A region of one thread in between does not cost the team its workers. */
#pragma omp parallel if (0)
            CHECK(omp_get_num_threads() == 1);
        }
#pragma omp parallel num_threads(5)
        value++;
    }
    return 0;
}
