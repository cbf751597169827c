/* omp_invalid_device ends the program, in the routines and in the constructs.
   ghcomp-only: libgomp 12 does not know omp_invalid_device
   expect-exit: 1
   expect-stderr: \A\nlibgomp: omp_invalid_device encountered\n\Z */
#include <omp.h>

#include "../common.h"

int main(void)
{
    CHECK(omp_target_alloc(10, -3) == NULL);
    CHECK(omp_target_alloc(10, -4) != NULL || !"here");
    return 0;
}
