/* With OMP_TARGET_OFFLOAD=mandatory a device that is not there ends the program; the host, when it is named, does not.
   env: OMP_TARGET_OFFLOAD=mandatory OMP_DEFAULT_DEVICE=0
   expect-exit: 1
   expect-stdout: \Aon the host\n\Z
   expect-stderr: \A\nlibgomp: OMP_TARGET_OFFLOAD is set to MANDATORY, but device not found\n\Z */
#include <omp.h>

#include "../common.h"

int main(void)
{
    int device = 3;
#pragma omp target device(omp_get_initial_device())
    puts("on the host");
    fflush(stdout);
#pragma omp target update to(device) device(omp_get_initial_device())
#pragma omp target enter data map(to : device) device(device)
    puts("here");
    return 0;
}
