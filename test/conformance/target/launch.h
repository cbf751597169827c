/* A target task for nowait.c and nowait_team.c, which writes its argument into its place of the results. */
#pragma once

#include <omp.h>

#include "../common.h"

static int results[40];

/* Everything that the region refers to is gone when it runs, but for what it is given and what is static. */
static void launch(int i)
{
    double large[300];
    _Alignas(64) char wide[64];
    for (int k = 0; k < 300; k++)
        large[k] = i + k;
    memset(wide, i, sizeof wide);
#pragma omp target nowait firstprivate(i, large, wide) map(tofrom : results)
    {
        CHECK(omp_get_level() == 0 && omp_get_num_threads() == 1 && !omp_in_final());
        CHECK((size_t)wide % 64 == 0 && wide[63] == i && large[299] == i + 299);
        results[i] += i + (int)large[1];
    }
    memset(large, 0, sizeof large);
    memset(wide, 99, sizeof wide);
}

static void check_results(void)
{
    for (int i = 0; i < 40; i++) {
        CHECK(results[i] == 2 * i + 1);
        results[i] = 0;
    }
}
