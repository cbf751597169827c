/* omp_pause_stop_tool (OpenMP 6.0): the tool is finalized, once, when the runtime's threads have ended for it; regions
 * after that have no events. */
#include "record.h"

static int finalized;

static void at_finalize(void)
{
    finalized++;
}

int main(void)
{
    omp_set_dynamic(0);
#pragma omp parallel num_threads(3)
    CHECK(omp_get_num_threads() == 3);
    CHECK(omp_pause_resource_all(omp_pause_soft) == 0 && finalized == 0);
#pragma omp parallel num_threads(3)
    CHECK(omp_get_num_threads() == 3);
    unsigned regions = COUNT(PARALLEL_BEGIN);
    CHECK(regions == 2);
    CHECK(omp_pause_resource_all((omp_pause_resource_t)3) == 0);
    CHECK(finalized == 1 && COUNT(THREAD_END) >= COUNT(THREAD_WORKER));
#pragma omp parallel num_threads(3)
    CHECK(omp_get_num_threads() == 3);
    CHECK(COUNT(PARALLEL_BEGIN) == regions);
    CHECK(omp_pause_resource_all((omp_pause_resource_t)3) == 0 && finalized == 1);
    return 0;
}
