/* Intel's affinity masks with KMP_AFFINITY=disabled: no CPU can be in a mask, and none can be set.
 *
 * env: KMP_AFFINITY=disabled
 * symbols: kmp_get_affinity_max_proc kmp_set_affinity_mask_proc kmp_set_affinity kmp_get_affinity
 * symbols: kmp_set_thread_affinity_mask_initial
 * cflags: -D_GNU_SOURCE
 * hosts: posix ghc
 */
#include <omp.h>
#include <sched.h>

#include "kmp.h"

int kmp_set_thread_affinity_mask_initial(void);

int main(void)
{
    cpu_set_t before, after;
    kmp_affinity_mask_t mask;
    CHECK(sched_getaffinity(0, sizeof before, &before) == 0);
    kmp_create_affinity_mask(&mask);
    CHECK(kmp_get_affinity_max_proc() == 0);
    for (int proc = -1; proc < 2; proc++) {
        CHECK(kmp_set_affinity_mask_proc(proc, &mask) == -1 && kmp_unset_affinity_mask_proc(proc, &mask) == -1);
        CHECK(kmp_get_affinity_mask_proc(proc, &mask) == -1);
    }
    CHECK(kmp_set_affinity(&mask) == -1 && kmp_get_affinity(&mask) == -1);
    CHECK(kmp_set_thread_affinity_mask_initial() == -1);
    CHECK(sched_getaffinity(0, sizeof after, &after) == 0 && CPU_EQUAL(&before, &after));
    kmp_destroy_affinity_mask(&mask);
    return 0;
}
