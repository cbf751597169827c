/* With OMP_TARGET_OFFLOAD=mandatory there is no default device.
   env: OMP_TARGET_OFFLOAD=mandatory
   ghcomp-only: libgomp 12 takes the host for the default device
   expect-exit: 1
   expect-stdout: \Aon the host\n\Z
   expect-stderr: \A\nlibgomp: OMP_TARGET_OFFLOAD is set to MANDATORY, but only the host device is available\n\Z */
#include <omp.h>

#include "../common.h"

int main(void)
{
    CHECK(omp_get_default_device() == -4);
#pragma omp target device(omp_get_initial_device())
    puts("on the host");
    fflush(stdout);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp target data map(to : stdout)
        puts("here");
    }
    return 0;
}
