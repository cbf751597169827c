/* An implicit task is not an explicit one; test/unit/icv.c has the other answer.
   ghcomp-only: libgomp 12 does not have this routine of OpenMP 5.2
   symbols: omp_in_explicit_task */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>

#include "../common.h"

int main(void)
{
    /* The linker sees gcc 12's libgomp, which lacks it. */
    int (*omp_in_explicit_task)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "omp_in_explicit_task");
    CHECK(omp_in_explicit_task != NULL);
    CHECK(!omp_in_explicit_task());
#pragma omp parallel num_threads(2)
    CHECK(!omp_in_explicit_task());
    return 0;
}
