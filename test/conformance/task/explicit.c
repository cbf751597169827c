/* omp_in_explicit_task in every kind of task.
   ghcomp-only: libgomp 12 does not have this routine of OpenMP 5.2
   symbols: omp_in_explicit_task GOMP_task GOMP_taskloop */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>

#include "../common.h"

static int (*explicit_task)(void);

int main(void)
{
    /* The linker sees gcc 12's libgomp, which lacks it. */
    explicit_task = (int (*)(void))dlsym(RTLD_DEFAULT, "omp_in_explicit_task");
    CHECK(explicit_task != NULL);
    CHECK(!explicit_task());
#pragma omp task
    CHECK(explicit_task());
    CHECK(!explicit_task());
    for (int threads = 1; threads <= 4; threads *= 2) {
#pragma omp parallel num_threads(threads)
        {
            CHECK(!explicit_task());
#pragma omp task
            {
                CHECK(explicit_task());
#pragma omp task if (0)
                CHECK(explicit_task());
                CHECK(explicit_task());
#pragma omp parallel num_threads(2)
                CHECK(!explicit_task());
                CHECK(explicit_task());
            }
#pragma omp task if (0)
            CHECK(explicit_task());
#pragma omp task final(1)
            CHECK(explicit_task());
            CHECK(!explicit_task());
#pragma omp taskloop
            for (int i = 0; i < 10; i++)
                CHECK(explicit_task());
            CHECK(!explicit_task());
        }
    }
    return 0;
}
