/* OMP_PROC_BIND=false: places are not even listed, the clause is ignored, no thread is bound.
 *
 * env: OMP_PLACES=threads OMP_PROC_BIND=false
 * cflags: -D_GNU_SOURCE
 */
#include "affinity.h"

int main(void)
{
    cpu_set_t before;
    int wrong = 0;
    CHECK(sched_getaffinity(0, sizeof before, &before) == 0);
    CHECK(omp_get_proc_bind() == omp_proc_bind_false);
    CHECK(omp_get_num_places() == 0);
    CHECK(omp_get_place_num() == -1);
    CHECK(omp_get_partition_num_places() == 0);
#pragma omp parallel num_threads(3) proc_bind(spread) reduction(+ : wrong)
    {
        cpu_set_t now;
        wrong += sched_getaffinity(0, sizeof now, &now) != 0 || !CPU_EQUAL(&before, &now);
        wrong += omp_get_place_num() != -1;
    }
    CHECK(wrong == 0);
    return 0;
}
