/* Intel's affinity masks: what a mask has, and that a thread is bound to what it sets.
 *
 * symbols: kmp_get_affinity_max_proc kmp_create_affinity_mask kmp_destroy_affinity_mask kmp_set_affinity_mask_proc
 * symbols: kmp_unset_affinity_mask_proc kmp_get_affinity_mask_proc kmp_set_affinity kmp_get_affinity
 * cflags: -D_GNU_SOURCE
 */
#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include "kmp.h"

/* The first CPU of the process, and how many it has. */
static int first, count;

static void masks(void)
{
    int most = kmp_get_affinity_max_proc();
    kmp_affinity_mask_t mask, other;
    kmp_create_affinity_mask(&mask);
    kmp_create_affinity_mask(&other);
    for (int proc = 0; proc < most; proc++)
        CHECK(kmp_get_affinity_mask_proc(proc, &mask) == 0);
    CHECK(most >= sysconf(_SC_NPROCESSORS_ONLN));
    CHECK(first < most && kmp_set_affinity_mask_proc(first, &mask) == 0);
    CHECK(kmp_get_affinity_mask_proc(first, &mask) == 1 && kmp_get_affinity_mask_proc(first, &other) == 0);
    CHECK(kmp_unset_affinity_mask_proc(first, &mask) == 0 && kmp_get_affinity_mask_proc(first, &mask) == 0);
    CHECK(kmp_set_affinity_mask_proc(-1, &mask) < 0 && kmp_unset_affinity_mask_proc(-1, &mask) < 0);
    CHECK(kmp_set_affinity_mask_proc(1 << 20, &mask) < 0 && kmp_get_affinity_mask_proc(1 << 20, &mask) < 0);
    kmp_destroy_affinity_mask(&mask);
    kmp_destroy_affinity_mask(&other);
}

/* What the kernel has for the calling thread is what the mask has. */
static void same(kmp_affinity_mask_t *mask)
{
    cpu_set_t set;
    CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
    for (int proc = 0; proc < kmp_get_affinity_max_proc() && proc < CPU_SETSIZE; proc++)
        CHECK(kmp_get_affinity_mask_proc(proc, mask) == !!CPU_ISSET(proc, &set));
}

static void binding(void)
{
#pragma omp parallel num_threads(3)
    {
        kmp_affinity_mask_t own, before, read;
        kmp_create_affinity_mask(&own);
        kmp_create_affinity_mask(&before);
        kmp_create_affinity_mask(&read);
        CHECK(kmp_get_affinity(&before) == 0);
        same(&before);
        kmp_set_affinity_mask_proc(first, &own);
        CHECK(kmp_set_affinity(&own) == 0);
        same(&own);
        CHECK(sched_getcpu() == first);
        CHECK(kmp_get_affinity(&read) == 0 && kmp_get_affinity_mask_proc(first, &read) == 1);
        same(&read);
        CHECK(kmp_set_affinity(&before) == 0);
        same(&before);
        kmp_destroy_affinity_mask(&own);
        kmp_destroy_affinity_mask(&before);
        kmp_destroy_affinity_mask(&read);
    }
}

int main(void)
{
    cpu_set_t set;
    CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
    count = CPU_COUNT(&set);
    while (!CPU_ISSET(first, &set))
        first++;
    CHECK(count > 0);
    masks();
    binding();
    return 0;
}
