/* Intel's affinity masks in a process that may not use all CPUs of the machine: the routines count all of them, but
 * only those of the process can be in a mask.
 *
 * symbols: kmp_get_affinity_max_proc kmp_set_affinity_mask_proc kmp_unset_affinity_mask_proc
 * symbols: kmp_get_affinity_mask_proc
 * cflags: -D_GNU_SOURCE
 * hosts: posix ghc
 */
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "kmp.h"

int main(void)
{
    cpu_set_t all, one;
    int first = 0, second;
    kmp_affinity_mask_t mask;
    CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
    while (!CPU_ISSET(first, &all))
        first++;
    for (second = first + 1; second < CPU_SETSIZE && !CPU_ISSET(second, &all); second++)
        ;
    if (second >= sysconf(_SC_NPROCESSORS_ONLN)) {
        puts("the process has one CPU, or not all CPUs of the machine are online");
        return 77;
    }
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0); /* before the first call, which counts the CPUs */
    int most = kmp_get_affinity_max_proc();
    CHECK(most == sysconf(_SC_NPROCESSORS_ONLN));
    kmp_create_affinity_mask(&mask);
    CHECK(kmp_set_affinity_mask_proc(first, &mask) == 0 && kmp_get_affinity_mask_proc(first, &mask) == 1);
    CHECK(kmp_set_affinity_mask_proc(second, &mask) == -2 && kmp_unset_affinity_mask_proc(second, &mask) == -2);
    CHECK(kmp_get_affinity_mask_proc(second, &mask) == 0);
    CHECK(kmp_set_affinity_mask_proc(most, &mask) == -1 && kmp_get_affinity_mask_proc(most, &mask) == -1);
    kmp_destroy_affinity_mask(&mask);
    return 0;
}
