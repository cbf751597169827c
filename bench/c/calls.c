/* Calls of a parallel library from many POSIX threads at once: one sample of bench/c_call.py, printed as a JSON object.
 *
 *   calls-dgemm SIZE CALLERS WINDOW_MS
 *   calls-fft   SIZE CALLERS WINDOW_MS
 *
 * The first call is the main thread's, so that the runtime is there. Then each caller repeats its call and checks every
 * result. Calls that end in the window count; it opens when half as long has passed since all callers began, and the
 * process ends with it: no thread waits for the calls that are not done, since OpenBLAS lets one caller in at a time
 * and the others spin, so that 64 calls may take a minute. `per_s` is the calls of all callers, `p50_us` and `p99_us`,
 * there if any call ended, what a call takes without its check. Compiled once by plain gcc -fopenmp; the loader's
 * search path chooses the runtime. Tested by test/scripts/bench_c_call_test.py.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"
#include "latencies.h"
#include "process.h"

enum { MAX_CALLERS = 1024 };

enum phase { BEFORE, WINDOW };
static enum phase phase;
static pthread_barrier_t all_there;

struct caller {
    pthread_t thread;
    pthread_mutex_t adding; /* guards the latencies: the caller adds, the main thread reads when the window closes */
    struct latencies *latencies;
};

static void check(const void *own, long number)
{
    if (!library.right(own, number)) {
        fprintf(stderr, "%s: wrong result\n", library.name);
        exit(1);
    }
}

static void *call(void *argument)
{
    struct caller *c = argument;
    void *own = library.open();
    pthread_barrier_wait(&all_there);
    for (long number = 0;; number++) {
        uint64_t start = bench_now_ns();
        library.call(own, number);
        uint64_t took = bench_now_ns() - start;
        check(own, number);
        if (__atomic_load_n(&phase, __ATOMIC_RELAXED) == WINDOW) {
            pthread_mutex_lock(&c->adding);
            latencies_add(c->latencies, took);
            pthread_mutex_unlock(&c->adding);
        }
    }
    return NULL;
}

static void pass(double ms)
{
    struct timespec left = {(time_t)(ms / 1e3), (long)(ms * 1e6) % 1000000000};
    while (nanosleep(&left, &left) != 0)
        ;
}

/* The latencies of all callers' calls; *seconds is how long the window was open. The callers still run. */
static struct latencies *callers(long count, double window_ms, double *seconds)
{
    static struct caller all[MAX_CALLERS];
    void *own = library.open();
    library.call(own, 0);
    check(own, 0);
    pthread_barrier_init(&all_there, NULL, (unsigned)count + 1);
    for (long i = 0; i < count; i++) {
        pthread_mutex_init(&all[i].adding, NULL);
        all[i].latencies = latencies_new();
        if (pthread_create(&all[i].thread, NULL, call, &all[i]) != 0) {
            fprintf(stderr, "%s: cannot start a thread\n", library.name);
            exit(1);
        }
    }
    pthread_barrier_wait(&all_there);
    pass(window_ms / 2);
    uint64_t opened = bench_now_ns();
    __atomic_store_n(&phase, WINDOW, __ATOMIC_RELAXED);
    pass(window_ms);
    *seconds = (double)(bench_now_ns() - opened) / 1e9;

    struct latencies *whole = latencies_new();
    for (long i = 0; i < count; i++) {
        pthread_mutex_lock(&all[i].adding); /* and never unlocked: what ends from now on does not count */
        latencies_merge(whole, all[i].latencies);
    }
    return whole;
}

int main(int argc, char **argv)
{
    long count = argc == 4 ? atol(argv[2]) : 0;
    double window_ms = argc == 4 ? atof(argv[3]) : 0, seconds = 0;
    if (count < 1 || count > MAX_CALLERS || window_ms < 1 || !library.prepare(argv[1])) {
        fprintf(stderr, "usage: %s SIZE CALLERS WINDOW_MS, with a size such as %s, 1 to %d callers\n", library.name,
                library.sizes, MAX_CALLERS);
        return 2;
    }
    struct latencies *whole = callers(count, window_ms, &seconds);
    printf("{\"per_s\": %.3f", (double)latencies_count(whole) / seconds);
    if (latencies_count(whole) > 0)
        printf(", \"p50_us\": %.3f, \"p99_us\": %.3f", latencies_percentile(whole, 0.5) / 1e3,
               latencies_percentile(whole, 0.99) / 1e3);
    printf(", \"object\": \"%s\", \"host\": \"%s\"}\n", bench_served_by(), bench_host());
    fflush(stdout);
    _exit(0); /* beside callers that are still in the library */
}
