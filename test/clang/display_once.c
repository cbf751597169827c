/* OMP_DISPLAY_ENV shows the settings once, at the first call, as libomp does: with what main() has set.
 *
 * env: OMP_DISPLAY_ENV=true OMP_NUM_THREADS=2
 * expect-stderr: \Amain\n\nOPENMP DISPLAY ENVIRONMENT BEGIN\n( .*\n)+OPENMP DISPLAY ENVIRONMENT END\n\n*\Z
 * expect-stderr: ^ *\[host\] OMP_NUM_THREADS ?= ?'3'$
 */
#include <stdio.h>
#include <stdlib.h>

#include "kmp.h"

/* A function of its own, because clang's code calls the runtime at the beginning of one with a region. */
static __attribute__((noinline)) int region(void)
{
    int sum = 0;
#pragma omp parallel reduction(+ : sum)
    sum++;
    return sum;
}

int main(void)
{
    setenv("OMP_NUM_THREADS", "3", 1);
    fputs("main\n", stderr);
    CHECK(region() == 3);
    return 0;
}
