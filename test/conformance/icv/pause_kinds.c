/* A kind that is neither soft nor hard is refused, and -1 names the host.
   ghcomp-only: libgomp 12 takes any kind, and refuses -1 (omp_initial_device), which came with OpenMP 5.2
   symbols: omp_pause_resource omp_pause_resource_all */
#include <omp.h>

#include "../common.h"

int main(void)
{
    CHECK(omp_pause_resource_all((omp_pause_resource_t)9) != 0);
    CHECK(omp_pause_resource((omp_pause_resource_t)0, 0) != 0);
    CHECK(omp_pause_resource(omp_pause_hard, -1) == 0);
    return 0;
}
