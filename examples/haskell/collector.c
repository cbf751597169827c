/* The C side of Collector.hs: a region that stays until Haskell lets it go. */
#include <sched.h>
#include <stdatomic.h>

void fill_around(long *x, long n);
int region_waits(void);
void region_go(void);

/* Release with acquire: what the team wrote before it waited is Haskell's to read, and what Haskell wrote before it let
   the region go is the team's. */
static atomic_int waits, go;

int region_waits(void)
{
    return atomic_load_explicit(&waits, memory_order_acquire);
}

void region_go(void)
{
    atomic_store_explicit(&go, 1, memory_order_release);
}

/* x[i] = i: the first half, then the team waits for region_go, then the second half. */
void fill_around(long *x, long n)
{
#pragma omp parallel num_threads(3)
    {
#pragma omp for
        for (long i = 0; i < n / 2; i++)
            x[i] = i;
#pragma omp single
        {
            atomic_store_explicit(&waits, 1, memory_order_release);
            while (!atomic_load_explicit(&go, memory_order_acquire))
                sched_yield();
        }
#pragma omp for
        for (long i = n / 2; i < n; i++)
            x[i] = i;
    }
}
