/* Where threads are not bound, clang's code has one place, all CPUs of the process, and each thread is on it: as on
 * libomp, whose programs size teams by it.
 *
 * env: OMP_PROC_BIND=false
 * cflags: -D_GNU_SOURCE
 * hosts: posix ghc
 */
#include <omp.h>
#include <sched.h>

#include "kmp.h"

enum { MANY = 1024 };

int main(void)
{
    int ids[MANY], nums[2] = {-1, -1}, wrong = 0;
    cpu_set_t mask;
    CHECK(sched_getaffinity(0, sizeof mask, &mask) == 0);
    CHECK(omp_get_proc_bind() == omp_proc_bind_false);
    CHECK(omp_get_num_places() == 1 && omp_get_place_num() == 0);
    CHECK(omp_get_place_num_procs(0) == CPU_COUNT(&mask));
    CHECK(omp_get_place_num_procs(1) == 0 && omp_get_place_num_procs(-1) == 0);
    omp_get_place_proc_ids(0, ids);
    for (int i = 0; i < CPU_COUNT(&mask); i++)
        CHECK(CPU_ISSET(ids[i], &mask) && (i == 0 || ids[i] > ids[i - 1]));
    CHECK(omp_get_partition_num_places() == 1);
    omp_get_partition_place_nums(nums);
    CHECK(nums[0] == 0 && nums[1] == -1);
#pragma omp parallel num_threads(3) reduction(+ : wrong)
    wrong += omp_get_place_num() != 0 || omp_get_partition_num_places() != 1;
    CHECK(wrong == 0);
    return 0;
}
