/* single: one member executes it; copyprivate: all get its value, also after a long wait.
   symbols: GOMP_single_start GOMP_single_copy_start GOMP_single_copy_end */
#include <omp.h>

#include "../common.h"

int main(void)
{
    int outside = 0;
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 9; threads++) {
        int executed = 0, chain = 0;
#pragma omp parallel num_threads(threads)
        {
            for (int round = 1; round <= 200; round++) {
#pragma omp single
                executed++;
                CHECK(executed == round);
#pragma omp barrier
            }
            for (int round = 0; round < 200; round++) {
#pragma omp single nowait
                {
#pragma omp atomic
                    chain++;
                }
            }
            for (int round = 0; round < 200; round++) {
                int value = -1;
                double list[4] = {0};
#pragma omp single copyprivate(value, list)
                {
                    value = round * 3;
                    for (int i = 0; i < 4; i++)
                        list[i] = round + i;
                    /* Now and then longer than any thread spins. */
                    if (round == 100)
                        for (double begin = omp_get_wtime(); omp_get_wtime() < begin + 0.005;)
                            ;
                }
                CHECK(value == round * 3);
                for (int i = 0; i < 4; i++)
                    CHECK(list[i] == round + i);
            }
        }
        CHECK(executed == 200 && chain == 200);
    }
#pragma omp single
    outside++;
    int value;
#pragma omp single copyprivate(value)
    value = 4;
    CHECK(outside == 1 && value == 4);
    return 0;
}
