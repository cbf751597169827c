/* GOMP_CPU_AFFINITY: each CPU of the list is a place, in its order.
 *
 * env: GOMP_CPU_AFFINITY="0 0-0:2,0"
 * cflags: -D_GNU_SOURCE
 */
#include "affinity.h"

int main(void)
{
    int id = -1, wrong = 0;
    if (omp_get_num_places() == 0) {
        printf("this process may not use CPU 0\n");
        return 77;
    }
    CHECK(omp_get_num_places() == 3);
    for (int i = 0; i < 3; i++) {
        CHECK(omp_get_place_num_procs(i) == 1);
        omp_get_place_proc_ids(i, &id);
        CHECK(id == 0);
    }
    CHECK(omp_get_proc_bind() == BIND_OF_CPU_LIST);
#pragma omp parallel num_threads(3) reduction(+ : wrong)
    wrong += !on_its_place() || omp_get_place_num() != omp_get_thread_num();
    CHECK(wrong == 0);
    return 0;
}
