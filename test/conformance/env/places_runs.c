/* A place of several CPUs is shown as a run.
   env: OMP_PLACES={0:2},{1} OMP_DISPLAY_ENV=true GHCOMP_CPU_QUOTA=ignore
   expect-stderr: ^  (\[host\] )?OMP_PLACES = '\{0:2\},\{1\}'$ */
#include <omp.h>

#include "../common.h"

int main(void)
{
    if (omp_get_num_procs() < 2) {
        puts("only one CPU here");
        return 77;
    }
    CHECK(omp_get_num_places() == 2);
    return 0;
}
