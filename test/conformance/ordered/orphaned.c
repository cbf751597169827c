/* An ordered construct in a function of its own binds to the loop of its caller; without one it just executes.
   symbols: GOMP_ordered_start GOMP_ordered_end GOMP_loop_ordered_dynamic_start GOMP_loop_ordered_static_start */
#include <omp.h>

#include "../common.h"

static int next_value;

static void in_order(int i)
{
#pragma omp ordered
    {
        CHECK(next_value == i);
        next_value++;
    }
}

int main(void)
{
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 5; threads += 2) {
#pragma omp parallel num_threads(threads)
        {
#pragma omp for ordered schedule(dynamic, 2)
            for (int i = 0; i < 50; i++)
                in_order(i);
#pragma omp single
            next_value = 0;
#pragma omp for ordered schedule(static)
            for (int i = 0; i < 50; i++)
                in_order(i);
#pragma omp single
            next_value = 0;
#pragma omp for ordered schedule(static, 3) collapse(2)
            for (int i = 0; i < 5; i++)
                for (int j = 0; j < 10; j++)
                    in_order(i * 10 + j);
        }
        CHECK(next_value == 50);
        next_value = 0;
    }
    in_order(0);
    next_value = 0;
    return 0;
}
