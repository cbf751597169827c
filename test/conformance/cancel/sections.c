/* cancel sections: a member waits in a section for the cancellation by another section; sections that have not begun
   are skipped, the constructs after them are executed completely.
   limit: 60
   env: OMP_CANCELLATION=true
   symbols: GOMP_cancel GOMP_cancellation_point GOMP_sections_end_cancel GOMP_sections_start GOMP_sections_next */
#include <omp.h>

#include "../common.h"

int main(void)
{
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 9; threads++) {
        int after = 0, skipped = 0, began = 0, whole = 0;
#pragma omp parallel num_threads(threads)
        for (int round = 0; round < 50; round++) {
#pragma omp sections
            {
#pragma omp section
                {
#pragma omp atomic
                    began++;
#pragma omp cancel sections
#pragma omp atomic
                    after++;
                }
#pragma omp section
                {
                    for (;;) {
#pragma omp cancellation point sections
                    }
                }
            }
            /* With one thread, the sections after the cancelled one never begin. */
            if (threads == 1) {
#pragma omp sections
                {
#pragma omp section
                    {
#pragma omp cancel sections
                    }
#pragma omp section
                    skipped++;
                }
            }
#pragma omp sections
            {
#pragma omp section
#pragma omp atomic
                whole++;
#pragma omp section
                {
#pragma omp cancellation point sections
#pragma omp atomic
                    whole++;
                }
            }
        }
        CHECK(began == 50 && after == 0 && skipped == 0 && whole == 100);
    }
    return 0;
}
