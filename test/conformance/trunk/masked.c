/* GCC 17's masked: the region is executed by the member whose number the filter gives, and by none if there is no such
   member.
   ghcomp-only: libgomp 12 lacks this entry
   limit: 60
   symbols: GOMP_has_masked_thread_num */
#include "trunk.h"

#include <limits.h>

static bool (*GOMP_has_masked_thread_num)(int thread_num);

/* Which member of a team executes a region with this filter; -1: none. More than one would add up. */
static int executes(int threads, int filter)
{
    int who = -1;
#pragma omp parallel num_threads(threads)
    if (GOMP_has_masked_thread_num(filter)) {
#pragma omp atomic
        who += 1 + omp_get_thread_num();
    }
    return who;
}

int main(void)
{
    GOMP_has_masked_thread_num = (bool (*)(int))entry("GOMP_has_masked_thread_num");
    omp_set_dynamic(0);
    CHECK(GOMP_has_masked_thread_num(0));
    CHECK(!GOMP_has_masked_thread_num(1) && !GOMP_has_masked_thread_num(-1));
    for (int i = 0; i < TEAM_SIZES; i++) {
        int threads = team_sizes[i];
        for (int filter = 0; filter < threads; filter++)
            CHECK(executes(threads, filter) == filter);
        CHECK(executes(threads, threads) == -1);
        CHECK(executes(threads, -1) == -1);
        CHECK(executes(threads, INT_MIN) == -1 && executes(threads, INT_MAX) == -1);
    }
    /* In a nested region the number is the inner team's. */
    omp_set_max_active_levels(2);
    int times = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(3)
        if (GOMP_has_masked_thread_num(2)) {
#pragma omp atomic
            times++;
        }
        CHECK(GOMP_has_masked_thread_num(omp_get_thread_num()));
        CHECK(!GOMP_has_masked_thread_num(1 - omp_get_thread_num()));
    }
    CHECK(times == 2);
    return 0;
}
