/* Pausing: soft, hard, and with the tool stopped (OpenMP 6.0), by the entry of compiled code, too. The next region
   has its threads again; in a region nothing is paused.
   ghcomp-only: LLVM 19's libomp lacks the third kind, and does not tell that a region is active
   symbols: __kmpc_pause_resource */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>

#include "kmp.h"

enum { SOFT = 1, HARD = 2, STOP_TOOL = 3, THREADS = 3 };

int main(void)
{
    int (*pause)(int) = (int (*)(int))dlvsym(RTLD_DEFAULT, "__kmpc_pause_resource", "VERSION");
    CHECK(pause != NULL);
    omp_set_dynamic(0);
    omp_set_num_threads(THREADS);
    for (int kind = SOFT; kind <= STOP_TOOL; kind++) {
        CHECK(region_size() == THREADS);
        CHECK(pause(kind) == 0);
        CHECK(region_size() == THREADS);
        CHECK(omp_pause_resource_all((omp_pause_resource_t)kind) == 0);
        CHECK(region_size() == THREADS);
        bool paused = omp_pause_resource((omp_pause_resource_t)kind, omp_get_initial_device()) == 0;
        CHECK(paused == (kind != STOP_TOOL)); /* the tool is stopped for all devices or for none */
#pragma omp parallel
        CHECK(pause(kind) != 0 && omp_pause_resource_all((omp_pause_resource_t)kind) != 0);
    }
    CHECK(pause(0) != 0 && pause(4) != 0 && omp_pause_resource_all((omp_pause_resource_t)4) != 0);
    return 0;
}
