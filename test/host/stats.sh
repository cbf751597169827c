#!/bin/sh
# ghcomp_stats, of ghcomp.h, in a C program on the drop-in.
# shellcheck source=test/host/common.sh
. "$(dirname "$0")/common.sh"

cat >"$work/stats.c" <<'END'
#include "probe.h"
#include <string.h>
int main(void)
{
    uint64_t before[GHCOMP_STATS], after[GHCOMP_STATS], more[GHCOMP_STATS + 2], few[2] = {7, 7};
    size_t known = OURS(ghcomp_stats)(before, GHCOMP_STATS);
    int size = 0;
    for (int i = 0; i < 5; i++) {
#pragma omp parallel num_threads(3)
#pragma omp single
        size += omp_get_num_threads();
#pragma omp parallel num_threads(1)
        size += 0;
    }
    OURS(ghcomp_stats)(after, GHCOMP_STATS);
    memset(more, 1, sizeof more);
    OURS(ghcomp_stats)(more, GHCOMP_STATS + 2);
    OURS(ghcomp_stats)(few, 1);
    OURS(ghcomp_stats)(NULL, 0);
#define DONE(which) (int)(after[GHCOMP_STAT_##which] - before[GHCOMP_STAT_##which])
    printf("known %d size %d regions %d wanted %d given %d lent %d beyond %d few %d %d\n", known == GHCOMP_STATS, size,
           DONE(REGIONS), DONE(THREADS_WANTED), DONE(THREADS_GIVEN), DONE(LENT),
           (int)(more[GHCOMP_STATS] + more[GHCOMP_STATS + 1]), (int)few[0], (int)few[1]);
    return 0;
}
END
compile "$work/stats.c" -o "$work/stats"
run "$work/stats"
ended 0
quiet
printed 'known 1 size 15 regions 5 wanted 15 given 15 lent 0 beyond 0 few 5 7'
