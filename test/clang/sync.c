/* Barriers, critical, master, masked, single with copyprivate.
 *
 * symbols: __kmpc_barrier __kmpc_cancel_barrier __kmpc_barrier_master __kmpc_end_barrier_master
 * symbols: __kmpc_barrier_master_nowait __kmpc_master __kmpc_end_master __kmpc_masked __kmpc_end_masked
 * symbols: __kmpc_critical __kmpc_critical_with_hint __kmpc_end_critical __kmpc_flush
 * symbols: __kmpc_atomic_start __kmpc_atomic_end
 * symbols: __kmpc_single __kmpc_end_single __kmpc_copyprivate __kmpc_copyprivate_light
 * hosts: posix ghc
 */
#include <omp.h>

#include "kmp.h"

int32_t __kmpc_cancel_barrier(place *, int32_t);
int32_t __kmpc_barrier_master(place *, int32_t);
void __kmpc_end_barrier_master(place *, int32_t);
int32_t __kmpc_barrier_master_nowait(place *, int32_t);
void *__kmpc_copyprivate_light(place *, int32_t, void *);

enum { THREADS = 4, TURNS = 500 };

void __kmpc_atomic_start(void);
void __kmpc_atomic_end(void);

static long unnamed, named, hinted, fallback;
static int at_home;

static void exclusion(void)
{
#pragma omp parallel num_threads(THREADS)
    for (int i = 0; i < TURNS; i++) {
#pragma omp critical
        unnamed++;
#pragma omp critical(name)
        named++;
#pragma omp critical(hint) hint(omp_sync_hint_contended)
        hinted++;
        __kmpc_atomic_start();
        fallback++;
        __kmpc_atomic_end();
    }
    CHECK(fallback == THREADS * TURNS);
    CHECK(unnamed == THREADS * TURNS && named == THREADS * TURNS && hinted == THREADS * TURNS);
}

static void phases(void)
{
    int at[THREADS] = {0}, masters = 0, filtered = 0;
#pragma omp parallel num_threads(THREADS)
    for (int i = 0; i < TURNS; i++) {
        __atomic_store_n(&at[omp_get_thread_num()], i, __ATOMIC_RELAXED);
        if (i % 2 == 0) {
#pragma omp barrier
        } else {
            CHECK(!__kmpc_cancel_barrier(&here, thread_number()));
        }
        for (int other = 0; other < THREADS; other++)
            CHECK(__atomic_load_n(&at[other], __ATOMIC_RELAXED) == i);
#pragma omp master
        masters++;
#pragma omp masked filter(2)
        filtered++;
#pragma omp flush
#pragma omp barrier
    }
    CHECK(masters == TURNS && filtered == TURNS);
}

/* The master alone is between the two calls; the others wait for the second. */
static void split(void)
{
    int inside = 0, done = 0;
#pragma omp parallel num_threads(THREADS)
    for (int i = 1; i <= TURNS; i++) {
        if (__kmpc_barrier_master(&here, thread_number())) {
            CHECK(omp_get_thread_num() == 0);
            __atomic_store_n(&inside, i, __ATOMIC_RELAXED);
            __kmpc_end_barrier_master(&here, thread_number());
        }
        CHECK(__atomic_load_n(&inside, __ATOMIC_RELAXED) == i);
        if (__kmpc_barrier_master_nowait(&here, thread_number()))
            done++;
    }
    CHECK(done == TURNS);
}

static void singles(void)
{
    int executed = 0;
#pragma omp parallel num_threads(THREADS)
    for (int i = 0; i < TURNS; i++) {
        int mine = -1;
        long other = -1;
#pragma omp single copyprivate(mine, other)
        {
            mine = i;
            other = 1000 + i;
            executed++;
        }
        CHECK(mine == i && other == 1000 + i);
        /* Any member may be the one that has the data. */
        void *passed = __kmpc_copyprivate_light(&here, thread_number(),
                                                omp_get_thread_num() == i % THREADS ? &at_home : NULL);
        CHECK(passed == &at_home);
#pragma omp barrier
    }
    CHECK(executed == TURNS);
#pragma omp parallel num_threads(1)
    {
        int alone = 0;
#pragma omp single copyprivate(alone)
        alone = 7;
        CHECK(alone == 7);
    }
}

int main(void)
{
    exclusion();
    phases();
    split();
    singles();
    return 0;
}
