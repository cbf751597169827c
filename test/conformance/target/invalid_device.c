/* omp_invalid_device ends the program, in the routines and in the constructs.
   ghcomp-only: libgomp 12 does not know omp_invalid_device
   expect-exit: 1
   expect-stderr: \A\nlibgomp: omp_invalid_device encountered\n\Z */
#include <omp.h>

#include "../common.h"

int main(void)
{
    omp_set_default_device(-4);
#pragma omp target device(omp_get_initial_device())
    CHECK(1);
#pragma omp target
    CHECK(!"here");
    return 0;
}
