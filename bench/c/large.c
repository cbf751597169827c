/* Measures large teams: time and context switches of regions and barriers, and the wake-up of a team that sleeps.
 *
 *     large team THREADS      on the runtime that the loader finds
 *     large machine           the costs of the machine that the model (bench/model.py) needs, between the first two
 *                             CPUs of the affinity mask: no OpenMP
 *
 * Prints one JSON object. Times are ns. `region` and `barrier` run back to back, the best of some batches. `woken` is a
 * region after a pause that lets every thread fall asleep (with OMP_WAIT_POLICY=passive they do at once): medians of
 * the time until the master's part begins, until the last thread's part begins, and of the whole region. Context
 * switches are those of all threads (getrusage), for each operation. A thread that did not take part in a region
 * exactly once is an error.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/futex.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 4096, BATCHES = 3, PAUSES = 40 };

static const double BATCH_NS = 40e6;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double switches(void)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return (double)(r.ru_nvcsw + r.ru_nivcsw);
}

static void pause_us(long us)
{
    struct timespec t = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&t, NULL);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return values[count / 2];
}

/* --- a team ------------------------------------------------------------------------------------------------------- */

static struct {
    long visits;
    double begun;
    char apart[112];
} at[MOST];

static void expect_visits(int threads, long each)
{
    for (int i = 0; i < MOST; i++)
        if (at[i].visits != (i < threads ? each : 0)) {
            fprintf(stderr, "large: thread %d was there %ld times, not %ld\n", i, at[i].visits, each);
            exit(1);
        }
    memset(at, 0, sizeof at);
}

static void regions(int threads, double *ns, double *each)
{
    *ns = 1e30;
    for (int batch = 0; batch <= BATCHES; batch++) {
        long count = 0;
        double before = switches(), begin = now(), end;
        do {
#pragma omp parallel
            at[omp_get_thread_num()].visits++;
            count++;
        } while ((end = now()) - begin < BATCH_NS);
        double took = (end - begin) / (double)count;
        if (batch > 0 && took < *ns) {
            *ns = took;
            *each = (switches() - before) / (double)count;
        }
        expect_visits(threads, count);
    }
}

static void barriers(int threads, double *ns, double *each)
{
    long count = 20;
    *ns = 1e30;
    for (int batch = 0; batch <= BATCHES; batch++) {
        double took = 0, before = 0, after = 0;
#pragma omp parallel
        {
            int me = omp_get_thread_num();
            double begin = 0;
#pragma omp barrier
            if (me == 0) {
                before = switches();
                begin = now();
            }
            for (long i = 0; i < count; i++) {
                at[me].visits++;
#pragma omp barrier
            }
            if (me == 0) {
                took = now() - begin;
                after = switches();
            }
        }
        expect_visits(threads, count);
        took /= (double)count;
        if (batch > 0 && took < *ns) {
            *ns = took;
            *each = (after - before) / (double)count;
        }
        count = (long)(BATCH_NS / took) + 1;
    }
}

static void woken(int threads)
{
    static double master[PAUSES], last[PAUSES], all[PAUSES];
    double count = 0;
    for (int i = -1; i < PAUSES; i++) {
        pause_us(3000);
        double before = switches(), begin = now();
#pragma omp parallel
        {
            int me = omp_get_thread_num();
            at[me].visits++;
            at[me].begun = now();
        }
        double end = now();
        if (i < 0)
            continue;
        count += switches() - before;
        all[i] = end - begin;
        master[i] = at[0].begun - begin;
        last[i] = 0;
        for (int tid = 0; tid < threads; tid++)
            if (at[tid].begun - begin > last[i])
                last[i] = at[tid].begun - begin;
    }
    expect_visits(threads, PAUSES + 1);
    printf("\"woken_master_ns\": %.0f, \"woken_last_ns\": %.0f, \"woken_ns\": %.0f, \"woken_switches\": %.1f, ",
           median(master, PAUSES), median(last, PAUSES), median(all, PAUSES), count / PAUSES);
}

static void team(int threads)
{
    double ns, each = 0;
    omp_set_dynamic(0);
    omp_set_num_threads(threads);
    printf("{\"threads\": %d, ", threads);
    regions(threads, &ns, &each);
    printf("\"region_ns\": %.1f, \"region_switches\": %.1f, ", ns, each);
    barriers(threads, &ns, &each);
    printf("\"barrier_ns\": %.1f, \"barrier_switches\": %.1f, ", ns, each);
    woken(threads);
    Dl_info info;
    void *entry = dlsym(RTLD_DEFAULT, "GOMP_parallel");
    if (entry == NULL || dladdr(entry, &info) == 0)
        info.dli_fname = "?";
    printf("\"object\": \"%s\"}\n", info.dli_fname);
}

/* --- the machine -------------------------------------------------------------------------------------------------- */

static struct {
    _Atomic int value;
    char apart[124];
} ball, stop, word, woke;
static _Atomic double woke_at;

/* The first two CPUs of the mask. */
static int cpus[2];

static bool two_cpus(void)
{
    cpu_set_t set;
    int found = 0;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return false;
    for (int cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++)
        if (CPU_ISSET(cpu, &set))
            cpus[found++] = cpu;
    return found == 2;
}

static void pin(int which)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpus[which], &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        perror("large: a thread cannot be bound to a CPU of its mask");
        exit(1);
    }
}

static void *send_back(void *data)
{
    (void)data;
    pin(1);
    for (int expected = 1; !atomic_load(&stop.value);) {
        if (atomic_load_explicit(&ball.value, memory_order_acquire) == expected) {
            atomic_store_explicit(&ball.value, expected + 1, memory_order_release);
            expected += 2;
        }
    }
    return NULL;
}

static double transfer(void)
{
    enum { ROUNDS = 20000 };
    pthread_t other;
    double best = 1e30;
    pthread_create(&other, NULL, send_back, NULL);
    int value = 0;
    for (int batch = 0; batch < 10; batch++) {
        double begin = now();
        for (int i = 0; i < ROUNDS; i++) {
            atomic_store_explicit(&ball.value, value + 1, memory_order_release);
            while (atomic_load_explicit(&ball.value, memory_order_acquire) != value + 2)
                ;
            value += 2;
        }
        double each = (now() - begin) / (2.0 * ROUNDS);
        best = each < best ? each : best;
    }
    atomic_store(&stop.value, 1);
    pthread_join(other, NULL);
    return best;
}

static void *yields(void *data)
{
    pin(0);
    for (long i = 0; i < (long)data; i++)
        sched_yield();
    return NULL;
}

static double yield_switch(void)
{
    enum { THREADS = 16, TURNS = 5000 };
    pthread_t threads[THREADS];
    double begin = now();
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, yields, (void *)(long)TURNS);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return (now() - begin) / (THREADS * (double)TURNS);
}

static void futex(int operation, int value)
{
    syscall(SYS_futex, &word.value, operation, value, NULL, NULL, 0);
}

static void *sleeper(void *data)
{
    pin(*(int *)data);
    for (int seen = 0;;) {
        while (atomic_load(&word.value) == seen)
            futex(FUTEX_WAIT_PRIVATE, seen);
        atomic_store(&woke_at, now());
        seen = atomic_load(&word.value);
        atomic_store(&woke.value, seen);
        if (seen < 0)
            return NULL;
    }
}

/* The waker's cost of waking a thread on the first (0) or second (1) CPU, and the time until it runs. */
static void wake_up(int which, double *cost, double *latency)
{
    enum { TIMES = 100 };
    static double costs[TIMES], latencies[TIMES];
    pthread_t other;
    atomic_store(&word.value, 0);
    atomic_store(&woke.value, 0);
    pthread_create(&other, NULL, sleeper, &which);
    for (int i = 0; i < TIMES; i++) {
        pause_us(500);
        double begin = now();
        atomic_store(&word.value, i + 1);
        futex(FUTEX_WAKE_PRIVATE, 1);
        double done = now();
        while (atomic_load(&woke.value) != i + 1)
            sched_yield();
        costs[i] = done - begin;
        latencies[i] = atomic_load(&woke_at) - begin;
    }
    atomic_store(&word.value, -1);
    futex(FUTEX_WAKE_PRIVATE, 1);
    pthread_join(other, NULL);
    *cost = median(costs, TIMES);
    *latency = median(latencies, TIMES);
}

static void *compute(void *data)
{
    (void)data;
    pin(1);
    while (!atomic_load(&stop.value))
        ;
    return NULL;
}

static void machine(void)
{
    double cost, latency, own_cost, own_latency, other_cost, other_latency;
    pthread_t other;
    pin(0);
    wake_up(1, &cost, &latency);
    wake_up(0, &own_cost, &own_latency);
    pthread_create(&other, NULL, compute, NULL);
    wake_up(1, &other_cost, &other_latency);
    atomic_store(&stop.value, 1);
    pthread_join(other, NULL);
    atomic_store(&stop.value, 0);
    printf("{\"transfer_ns\": %.1f, \"switch_ns\": %.1f, ", transfer(), yield_switch());
    printf("\"wake_ns\": %.0f, \"wake_latency_ns\": %.0f, ", cost, latency);
    printf("\"wake_own_ns\": %.0f, \"wake_own_latency_ns\": %.0f, ", own_cost, own_latency);
    printf("\"wake_other_ns\": %.0f, \"wake_other_latency_ns\": %.0f}\n", other_cost, other_latency);
}

int main(int argc, char **argv)
{
    int threads = argc == 3 && strcmp(argv[1], "team") == 0 ? atoi(argv[2]) : 0;
    if (threads > 1 && threads <= MOST)
        team(threads);
    else if (argc == 2 && strcmp(argv[1], "machine") == 0 && two_cpus())
        machine();
    else {
        fprintf(stderr, "usage: large team THREADS (2 to %d) | large machine (two CPUs in the affinity mask)\n", MOST);
        return 2;
    }
    return 0;
}
