/* A program that clang has built for offload: libomptarget is beside the runtime. Target regions with nowait and
 * dependences in tasks of a region, and memory of the device. Its device is the host, which LLVM's plugin serves. */
#include <omp.h>
#include <stdio.h>
int main(void) {
    int n = omp_get_num_devices(), d = omp_get_default_device(), x = 0, bad = 0, on_host = -1;
#pragma omp target map(tofrom : on_host)
    on_host = omp_is_initial_device();
#pragma omp parallel num_threads(3) reduction(+ : bad)
    {
        int a = 0, b = 0;
#pragma omp target nowait map(tofrom : a) depend(out : a)
        a += 1;
#pragma omp target nowait map(tofrom : a) depend(inout : a)
        a += 10;
#pragma omp task depend(in : a) shared(a, b)
        b = a;
#pragma omp taskwait
        bad += b != 11;
    }
    int *p = omp_target_alloc(100 * sizeof *p, d);
    if (p) {
#pragma omp target teams distribute parallel for is_device_ptr(p)
        for (int i = 0; i < 100; i++) p[i] = i;
        int back[100];
        omp_target_memcpy(back, p, sizeof back, 0, 0, omp_get_initial_device(), d);
        for (int i = 0; i < 100; i++) x += back[i];
        omp_target_free(p, d);
    }
    int ok = !bad && (!p || x == 4950) && (on_host == (n == 0));
    printf("%s devices %d, target ran on the %s, nowait errors %d, copied sum %d\n", ok ? "ok" : "BAD", n,
           on_host ? "host" : "device", bad, x);
    return !ok;
}
