/* The minimal cost of an entry into Haskell: taking a Capability and releasing it, without running anything. Called by
 * Enter.hs. Each thread of the team uses a Capability of its own.
 */
#include <Rts.h>
#include <omp.h>

/* n entries of all threads together. */
long bench_enter(long n, int m);

long bench_enter(long n, int m)
{
    long entered = 0;
#pragma omp parallel num_threads(m) reduction(+ : entered)
    {
        long thread = omp_get_thread_num();
        rts_setInCallCapability((int)thread, 0);
        for (long i = n * thread / m; i < n * (thread + 1) / m; i++) {
            rts_unlock(rts_lock());
            entered++;
        }
        rts_setInCallCapability(-1, 0);
    }
    return entered;
}
