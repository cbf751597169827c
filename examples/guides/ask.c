#include <ghcomp.h>
#include <omp.h>
#include <stdio.h>

int main(void)
{
    uint64_t counted[GHCOMP_STATS];

#pragma omp parallel num_threads(2)
    {
#pragma omp single
        printf("version %s, host %s\n", ghcomp_version(), ghcomp_host_name());
    }

    ghcomp_stats(counted, GHCOMP_STATS);
    printf("%d region, %d threads\n", (int)counted[GHCOMP_STAT_REGIONS], (int)counted[GHCOMP_STAT_THREADS_GIVEN]);
    return 0;
}
