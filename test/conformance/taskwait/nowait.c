/* taskwait depend nowait is an empty task with dependences: it orders tasks after it and delays no thread.
   ghcomp-only: GCC 12 does not have this entry of OpenMP 5.1; the array is laid out as later compilers do
   symbols: GOMP_taskwait_depend_nowait GOMP_taskwait_depend GOMP_task */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>

#include "../common.h"
#include "../gate.h"

static void (*depend_nowait)(void **);

/* Number of dependences, number of those that write, addresses of writers and then readers. */
static void after_readers_and(int *out, int *in)
{
    void *depend[4] = {(void *)2, (void *)1, out, in};
    depend_nowait(depend);
}

static void chain(int threads)
{
    int a = 0, b = 0, open = 0;
#pragma omp task depend(out : a) shared(a, open)
    {
        if (omp_get_thread_num() != 0 && threads > 1)
            wait_for(&open);
        a = 1;
    }
    after_readers_and(&b, &a);
    open_gate(&open); /* reached although a's task waits */
#pragma omp task depend(in : b) shared(a, b)
    {
        CHECK(a == 1);
        b = 2;
    }
#pragma omp taskwait
    CHECK(b == 2);
}

int main(void)
{
    /* The linker sees gcc 12's libgomp, which lacks it. */
    depend_nowait = (void (*)(void **))dlsym(RTLD_DEFAULT, "GOMP_taskwait_depend_nowait");
    CHECK(depend_nowait != NULL);
    omp_set_dynamic(0);
    chain(1);
    for (int threads = 1; threads <= 8; threads *= 2) {
#pragma omp parallel num_threads(threads)
#pragma omp master
        for (int i = 0; i < 200; i++)
            chain(threads);
    }
    return 0;
}
