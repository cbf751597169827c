/* The C half of offload_haskell.hs, by clang for an offload target. */
#include <omp.h>

/* On a device, if there is one: 2 * (0 + ... + n - 1), by regions that wait and by one that does not. */
long offload_sum(int n)
{
    long a = 0, b = 0, on_device = 0;
#pragma omp target map(tofrom : a, on_device) depend(out : a)
    {
        on_device = !omp_is_initial_device();
        for (int i = 0; i < n; i++)
            a += i;
    }
#pragma omp target nowait map(tofrom : b) map(to : a) depend(in : a) depend(out : b)
    b += a;
#pragma omp target nowait map(tofrom : b) depend(inout : b)
    b *= 2;
#pragma omp taskwait
    return on_device == (omp_get_num_devices() > 0) ? b : -1;
}

/* Calls back in a region; the callback reaches offload_sum again. Each member has the same result. */
long offload_calls(long (*callback)(int), int n)
{
    long sum = 0, threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum, threads)
    {
        sum += callback(n);
        threads++;
    }
    return sum / threads;
}
