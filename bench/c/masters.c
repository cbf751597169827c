/* The rows of bench/pool.py whose masters are POSIX threads: one sample, printed as a JSON object.
 *
 *   masters callers CALLERS WINDOW_MS       CALLERS threads, each in a loop of regions of 1000 units of work
 *   masters rendezvous ROUNDS WINDOW_MS     two threads that meet inside their regions (the window is not used)
 *
 * Compiled once by plain gcc -fopenmp; the loader's search path chooses the runtime. bench/hs/Pool.hs has the same in
 * Haskell.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "latencies.h"
#include "process.h"
#include "regions.h"

enum { MAX_CALLERS = 4096, UNITS = 1000 };

/* What begins in the window counts. */
enum phase { BEFORE, WINDOW, AFTER };
static enum phase phase;

static long started;  /* callers that have done their first region */
static uint64_t want; /* of a caller's region */

struct caller {
    pthread_t thread;
    struct latencies *latencies;
};

static void start_thread(pthread_t *thread, void *(*run)(void *), void *argument)
{
    if (pthread_create(thread, NULL, run, argument) != 0) {
        fprintf(stderr, "masters: cannot start a thread\n");
        exit(1);
    }
}

static void *call(void *argument)
{
    struct caller *c = argument;
    c->latencies = latencies_new();
    region_static(UNITS, want);
    __atomic_fetch_add(&started, 1, __ATOMIC_SEQ_CST);
    for (;;) {
        enum phase begun = __atomic_load_n(&phase, __ATOMIC_RELAXED);
        if (begun == AFTER)
            return NULL;
        uint64_t start = bench_now_ns();
        region_static(UNITS, want);
        if (begun == WINDOW)
            latencies_add(c->latencies, bench_now_ns() - start);
    }
}

static void callers(long count, double window_ms)
{
    static struct caller all[MAX_CALLERS];
    const struct timespec ms = {0, 1000000}, ten_ms = {0, 10000000};
    want = region_alone(UNITS);
    for (long i = 0; i < count; i++)
        start_thread(&all[i].thread, call, &all[i]);
    while (__atomic_load_n(&started, __ATOMIC_SEQ_CST) < count)
        nanosleep(&ms, NULL);

    long end = bench_os_threads(), highest = end;
    uint64_t opened = bench_now_ns();
    __atomic_store_n(&phase, WINDOW, __ATOMIC_RELAXED);
    while ((double)(bench_now_ns() - opened) < window_ms * 1e6) {
        nanosleep(&ten_ms, NULL);
        end = bench_os_threads();
        highest = end > highest ? end : highest;
    }
    double seconds = (double)(bench_now_ns() - opened) / 1e9;
    __atomic_store_n(&phase, AFTER, __ATOMIC_RELAXED);

    struct latencies *whole = latencies_new();
    for (long i = 0; i < count; i++) {
        pthread_join(all[i].thread, NULL);
        latencies_merge(whole, all[i].latencies);
        latencies_free(all[i].latencies);
    }
    printf("\"regions\": %.3f, \"p50\": %.3f, \"p99\": %.3f, \"threads-end\": %ld, \"threads-max\": %ld",
           (double)latencies_count(whole) / seconds, latencies_percentile(whole, 0.5) / 1e3,
           latencies_percentile(whole, 0.99) / 1e3, end, highest);
    if (bench_workers() >= 0)
        printf(", \"workers\": %ld", bench_workers());
}

static long rounds;
static pthread_barrier_t both;

static void *meet(void *who)
{
    pthread_barrier_wait(&both);
    for (long r = 1; r <= rounds; r++)
        region_meet(*(int *)who, r);
    return NULL;
}

static void rendezvous(long count)
{
    pthread_t masters[2];
    static int numbers[2] = {0, 1};
    rounds = count;
    pthread_barrier_init(&both, NULL, 3);
    for (int i = 0; i < 2; i++)
        start_thread(&masters[i], meet, &numbers[i]);
    pthread_barrier_wait(&both);
    uint64_t start = bench_now_ns();
    for (int i = 0; i < 2; i++)
        pthread_join(masters[i], NULL);
    printf("\"time\": %.3f", (double)(bench_now_ns() - start) / 1e6);
}

int main(int argc, char **argv)
{
    long count = argc == 4 ? atol(argv[2]) : 0;
    double window_ms = argc == 4 ? atof(argv[3]) : 0;
    if (count < 1 || count > 1000000 || window_ms <= 0) {
        fprintf(stderr, "usage: masters callers|rendezvous COUNT WINDOW_MS\n");
        return 2;
    }
    printf("{\"row\": \"%s\", \"values\": {", argv[1]);
    if (strcmp(argv[1], "callers") == 0 && count <= MAX_CALLERS) {
        callers(count, window_ms);
    } else if (strcmp(argv[1], "rendezvous") == 0) {
        rendezvous(count);
    } else {
        fprintf(stderr, "masters: rows are callers (of at most %d) and rendezvous\n", MAX_CALLERS);
        return 2;
    }
    printf("}, \"object\": \"%s\", \"host\": \"%s\"}\n", bench_served_by(), bench_host());
    return 0;
}
