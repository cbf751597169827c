/* Regions in tasks, tasks in those regions, tasks of inner teams executed by inner teams only; tasks outside any
   region.
   limit: 60
   symbols: GOMP_task GOMP_taskwait GOMP_parallel GOMP_taskgroup_start GOMP_taskgroup_end */
#include <omp.h>

#include "../common.h"
#include "../gate.h"

/* Outside regions there is a team of one, the initial thread. */
static void no_region(int expected_level)
{
    int count = 0;
    CHECK(omp_get_num_threads() == 1 && omp_get_level() == expected_level);
    for (int i = 0; i < 100; i++) {
#pragma omp task shared(count) firstprivate(i)
        {
            CHECK(omp_get_thread_num() == 0 && omp_get_level() == expected_level);
            count++;
            if (i % 10 == 0) {
#pragma omp task shared(count) untied
                count++;
            }
        }
    }
#pragma omp taskwait
#pragma omp taskgroup
    {
#pragma omp task shared(count)
        {
#pragma omp task shared(count)
            count++;
        }
    }
    /* Those that a taskwait does not wait for, a barrier does. */
#pragma omp barrier
    CHECK(count == 111);
#pragma omp taskyield
#pragma omp taskwait
}

static int sums[3];

static void inner(int depth, int ancestor)
{
#pragma omp parallel num_threads(2 + depth % 2)
    {
        CHECK(omp_get_ancestor_thread_num(omp_get_level() - 1) == ancestor);
        for (int i = 0; i < 10; i++) {
#pragma omp task firstprivate(i)
            {
                /* Any member of this team, and of no other. */
                CHECK(omp_get_ancestor_thread_num(omp_get_level() - 1) == ancestor);
                CHECK(omp_get_thread_num() < 2 + depth % 2);
                __atomic_fetch_add(&sums[depth], i, __ATOMIC_RELAXED);
                if (depth < 2 && i == 3)
                    inner(depth + 1, omp_get_thread_num());
            }
        }
    }
}

int main(void)
{
    omp_set_dynamic(0);
    omp_set_max_active_levels(4);
    no_region(0);
    for (int threads = 1; threads <= 8; threads *= 2) {
        int regions = 0, inside = 0;
#pragma omp parallel num_threads(threads)
        {
            for (int i = 0; i < 5; i++) {
#pragma omp task shared(regions, inside)
                {
                    int me = omp_get_thread_num(), level = omp_get_level(), local = 0;
#pragma omp parallel num_threads(1 + i % 4) reduction(+ : local)
                    {
                        CHECK(omp_get_level() == level + 1 && omp_get_ancestor_thread_num(level) == me);
#pragma omp task shared(inside)
                        __atomic_fetch_add(&inside, 1, __ATOMIC_RELAXED);
#pragma omp for schedule(dynamic)
                        for (int j = 0; j < 10; j++)
                            local += j;
                    }
                    CHECK(local == 45 && omp_get_thread_num() == me && omp_get_level() == level);
                    count_up(&regions);
                }
            }
        }
        CHECK(regions == 5 * threads && inside == threads * (1 + 2 + 3 + 4 + 1));
    }
    for (int pass = 0; pass < 10; pass++) {
        memset(sums, 0, sizeof sums);
        inner(0, 0);
        CHECK(sums[0] == 2 * 45 && sums[1] == 2 * 3 * 45 && sums[2] == 2 * 3 * 2 * 45);
    }
    no_region(0);
    /* A team of one at some level: the same, a level deeper. */
#pragma omp parallel num_threads(1)
    no_region(1);
    return 0;
}
