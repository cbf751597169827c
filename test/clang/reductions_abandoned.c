/* Regions with task reductions that are cancelled, and left without the calls that end the reductions: their memory is
   freed.
   env: OMP_CANCELLATION=true
   symbols: __kmpc_taskred_modifier_init __kmpc_cancel */
#include <omp.h>
#include <sys/resource.h>

#include "../conformance/common.h"

enum { COUNT = 1 << 18, REGIONS = 100 };

static int array[COUNT];

static long megabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss >> 10;
}

static void region(void)
{
#pragma omp parallel num_threads(2) reduction(task, + : array)
    {
#pragma omp task in_reduction(+ : array)
        for (int i = 0; i < COUNT; i += 1024)
            array[i]++;
#pragma omp taskwait
        if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
        }
#pragma omp barrier
    }
}

int main(void)
{
    for (int i = 0; i < 5; i++)
        region();
    long before = megabytes();
    for (int i = 0; i < REGIONS; i++)
        region();
    CHECK(megabytes() - before < REGIONS * 3 / 4); /* each has 2 MB */
    return 0;
}
