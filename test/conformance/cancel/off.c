/* With cancel-var off nothing is ever cancelled.
   env: OMP_CANCELLATION=false
   symbols: GOMP_cancel GOMP_cancellation_point GOMP_barrier_cancel GOMP_loop_end_cancel GOMP_sections_end_cancel */
#include <omp.h>

#include "../common.h"

int main(void)
{
    int iterations = 0, sections = 0, past = 0;
    CHECK(!omp_get_cancellation());
    omp_set_dynamic(0);
#pragma omp parallel num_threads(5)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 100; i++) {
#pragma omp cancel for
#pragma omp cancellation point for
#pragma omp atomic
            iterations++;
        }
#pragma omp sections
        {
#pragma omp section
            {
#pragma omp cancel sections
#pragma omp atomic
                sections++;
            }
#pragma omp section
            {
#pragma omp cancellation point sections
#pragma omp atomic
                sections++;
            }
        }
#pragma omp cancel parallel
#pragma omp barrier
#pragma omp atomic
        past++;
    }
    CHECK(iterations == 100 && sections == 2 && past == 5);
    return 0;
}
