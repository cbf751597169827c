/* Random mixes of constructs, by several masters at once, each step checked.
 *
 * mixed SEED MASTERS SECONDS
 *
 * Every master runs regions of 1 to 9 threads, one region at least, until SECONDS have passed. In a region all members
 * draw the same sequence of constructs from the region's seed, so they meet; between two constructs each yields or
 * computes by a seed of its own, so they drift apart. Each construct counts what it did in the region's own counters,
 * and the master checks the sums.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stress.h"

enum { STEPS = 30, MOST = 9 };

static double deadline;
static long regions;

static void wrong(unsigned seed, int step, const char *what, long got, long want)
{
    fprintf(stderr, "mixed: region seed %u, step %d: %s counted %ld, not %ld\n", seed, step, what, got, want);
    exit(1);
}

struct step {
    long count;   /* what the construct counted */
    long last;    /* ordered: the iteration before */
    int bad;
};

/* One construct; every member of the team calls it with the same step and kind. Returns what it must have counted. */
static long construct(struct step *s, unsigned kind, int n, omp_lock_t *lock)
{
    int copied = -1;
    switch (kind % 12) {
    case 0:
#pragma omp for schedule(dynamic, 3) nowait
        for (int i = 0; i < n; i++)
            __atomic_fetch_add(&s->count, 1, __ATOMIC_RELAXED);
        return n;
    case 1:
#pragma omp for schedule(guided) nowait
        for (long long i = n; i > 0; i--)
            __atomic_fetch_add(&s->count, 1, __ATOMIC_RELAXED);
        return n;
    case 2:
#pragma omp for schedule(runtime)
        for (unsigned long long i = 0; i < (unsigned long long)n; i++)
            __atomic_fetch_add(&s->count, 1, __ATOMIC_RELAXED);
        return n;
    case 3:
#pragma omp single nowait
        s->count++;
        return 1;
    case 4:
#pragma omp single copyprivate(copied)
        {
            copied = n;
            s->count++;
        }
        if (copied != n)
            s->bad = 1;
        return 1;
    case 5:
#pragma omp sections nowait
    {
#pragma omp section
        __atomic_fetch_add(&s->count, 1, __ATOMIC_RELAXED);
#pragma omp section
        __atomic_fetch_add(&s->count, 10, __ATOMIC_RELAXED);
#pragma omp section
        __atomic_fetch_add(&s->count, 100, __ATOMIC_RELAXED);
    }
        return 111;
    case 6:
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < n; i++) {
#pragma omp ordered
            {
                if (s->last != i)
                    s->bad = 1;
                s->last = i + 1;
                s->count++;
            }
        }
        return n;
    case 7:
#pragma omp critical
        s->count++;
        return omp_get_num_threads();
    case 8:
        omp_set_lock(lock);
        s->count++;
        omp_unset_lock(lock);
        return omp_get_num_threads();
    case 9:
        if (n >= 0) {
#pragma omp barrier
        }
        __atomic_fetch_add(&s->count, 1, __ATOMIC_RELAXED);
        return omp_get_num_threads();
    case 10:
#pragma omp for schedule(static, 1) nowait
        for (int i = 0; i < n; i++)
            __atomic_fetch_add(&s->count, 1, __ATOMIC_RELAXED);
        return n;
    default: {
        long inner = 0;
#pragma omp parallel num_threads(1 + n % 3) reduction(+ : inner)
        inner += 1;
        __atomic_fetch_add(&s->count, inner, __ATOMIC_RELAXED);
        return (long)omp_get_num_threads() * (1 + n % 3);
    }
    }
}

static void region(unsigned seed, omp_lock_t *lock)
{
    struct step steps[STEPS];
    long want[STEPS];
    unsigned state = seed;
    int size = 1 + (int)(draw(&state) % MOST), spread = (int)(draw(&state) % 3);
    memset(steps, 0, sizeof steps);
#pragma omp parallel num_threads(size)
    {
        unsigned common = state, mine = seed + 977u * (unsigned)omp_get_thread_num();
        for (int i = 0; i < STEPS; i++) {
            unsigned kind = draw(&common);
            int n = (int)(draw(&common) % 40);
            long expected = construct(&steps[i], kind, n, lock);
            if (omp_get_thread_num() == 0)
                want[i] = expected;
            if (spread && draw(&mine) % 4 == 0)
                sched_yield();
            for (volatile unsigned spin = spread == 2 ? draw(&mine) % 2000 : 0; spin > 0; spin--)
                ;
        }
    }
    for (int i = 0; i < STEPS; i++) {
        if (steps[i].count != want[i])
            wrong(seed, i, "a construct", steps[i].count, want[i]);
        if (steps[i].bad)
            wrong(seed, i, "disorder", 1, 0);
    }
}

static void *master(void *argument)
{
    unsigned state = (unsigned)(size_t)argument;
    omp_lock_t lock;
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
    omp_init_lock(&lock);
    do {
        region(draw(&state), &lock);
        __atomic_fetch_add(&regions, 1, __ATOMIC_RELAXED);
    } while (now() < deadline);
    omp_destroy_lock(&lock);
    return NULL;
}

int main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    int masters = argc > 2 ? atoi(argv[2]) : 4;
    deadline = now() + (argc > 3 ? atof(argv[3]) : 3);
    pthread_t threads[64];
    if (masters > 64)
        masters = 64;
    for (int i = 1; i < masters; i++)
        if (pthread_create(&threads[i], NULL, master, (void *)(size_t)(seed + 7919u * (unsigned)i)) != 0)
            return 1;
    master((void *)(size_t)seed);
    for (int i = 1; i < masters; i++)
        pthread_join(threads[i], NULL);
    printf("%ld regions\n", regions);
    return regions > 0 ? 0 : 1;
}
