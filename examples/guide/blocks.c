#include <ghcomp.h>

int blocks(ghcomp_callback *f, long n);

/* f(0) to f(n - 1) by a team, 1000 for one entry into Haskell. Not 0 when a call has thrown an exception. */
int blocks(ghcomp_callback *f, long n)
{
    int failed = 0;
#pragma omp parallel for schedule(dynamic) reduction(| : failed)
    for (long first = 0; first < n; first += 1000)
        failed |= ghcomp_callback_range(f, first, first + 1000 < n ? first + 1000 : n);
    return failed;
}
