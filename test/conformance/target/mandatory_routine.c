/* The routines with OMP_TARGET_OFFLOAD=mandatory: the host works, another device ends the program.
   env: OMP_TARGET_OFFLOAD=mandatory OMP_DEFAULT_DEVICE=0
   expect-exit: 1
   expect-stdout: \Acopied\n\Z
   expect-stderr: \A\nlibgomp: OMP_TARGET_OFFLOAD is set to MANDATORY, but device not found\n\Z */
#include <omp.h>

#include "../common.h"

int main(void)
{
    int from = 1, to = 0;
    CHECK(omp_target_memcpy(&to, &from, sizeof to, 0, 0, 0, 0) == 0 && to == 1);
    puts("copied");
    fflush(stdout);
    omp_target_memcpy(&to, &from, sizeof to, 0, 0, 0, 9);
    puts("here");
    return 0;
}
