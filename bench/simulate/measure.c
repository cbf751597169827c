/* Measures what the simulator's operations cost on this machine, and prints it as JSON, in nanoseconds: medians of what
 * sleeps, and of the rest the lowest tenth, which others on the machine hardly change. `hot`,
 * `hot_tries` and `far_factor` are no measurements: the first two are the kernel's, the third is an assumption for
 * machines whose CPUs are not all equally near. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 101, LOOPS = 2000 };
static int first, second; /* CPUs */

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_size);
    return values[count / 2];
}

static double lowest(double *values)
{
    qsort(values, ROUNDS, sizeof *values, by_size);
    return values[ROUNDS / 10];
}

static void sit_on(int one, int other)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(one, &set);
    CPU_SET(other, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        exit(1);
}

static void put(const char *name, double value)
{
    printf("\"%s\": %.0f, ", name, value < 1 ? 1 : value);
}

/* --- one thread ----------------------------------------------------------------------------------------------------
 * */

static _Atomic uint32_t word;

static double loop(void (*what)(void))
{
    double took[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t begin = now();
        for (int i = 0; i < LOOPS; i++)
            what();
        took[round] = (double)(now() - begin) / LOOPS;
    }
    return lowest(took);
}

static void load(void)
{
    (void)atomic_load_explicit(&word, memory_order_acquire);
}

static void change(void)
{
    atomic_fetch_add(&word, 2);
}

static void pause_once(void)
{
    load();
    __builtin_ia32_pause();
}

static void read_clock(void)
{
    (void)now();
}

static void yield(void)
{
    sched_yield();
}

static void futex(int what, uint32_t value)
{
    syscall(SYS_futex, &word, what | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static void no_sleep(void)
{
    futex(FUTEX_WAIT, atomic_load(&word) + 1);
}

static double some(void (*what)(void))
{
    double took[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t begin = now();
        what();
        took[round] = (double)(now() - begin);
    }
    return median(took, ROUNDS);
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

static void ask(void)
{
    char text[64];
    int file = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    if (file >= 0 && read(file, text, sizeof text) < 0)
        exit(1);
    close(file);
}

static void move(void)
{
    static bool there;
    there = !there;
    sit_on(there ? second : first, there ? second : first);
    sit_on(first, second);
}

static void *nothing(void *data)
{
    return data;
}

static void spawn(void)
{
    static pthread_t before;
    if (before != 0)
        pthread_join(before, NULL);
    uint64_t begin = now();
    pthread_create(&before, NULL, nothing, NULL);
    atomic_store(&word, (uint32_t)(now() - begin));
}

/* --- two threads ---------------------------------------------------------------------------------------------------
 * */

static struct {
    _Atomic uint32_t there, back;
} ball __attribute__((aligned(128)));
static _Atomic bool stop;

static void *answer(void *data)
{
    (void)data;
    sit_on(second, second);
    for (uint32_t seen = 0; !atomic_load(&stop);) {
        uint32_t value = atomic_load_explicit(&ball.there, memory_order_acquire);
        if (value != seen)
            atomic_store_explicit(&ball.back, seen = value, memory_order_release);
        else
            __builtin_ia32_pause();
    }
    return NULL;
}

static void to_and_fro(void)
{
    uint32_t value = atomic_fetch_add(&ball.there, 1) + 1;
    while (atomic_load_explicit(&ball.back, memory_order_acquire) != value)
        __builtin_ia32_pause();
}

static void fence(void)
{
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

static _Atomic uint64_t woken_at;

static void *sleeper(void *data)
{
    (void)data;
    sit_on(second, second);
    while (!atomic_load(&stop)) {
        uint32_t value = atomic_load(&word);
        futex(FUTEX_WAIT, value);
        atomic_store(&woken_at, now());
    }
    return NULL;
}

static void *yielder(void *data)
{
    (void)data;
    sit_on(first, first);
    while (!atomic_load(&stop))
        sched_yield();
    return NULL;
}

static void *hog(void *data)
{
    (void)data;
    sit_on(first, first);
    while (!atomic_load(&stop))
        ;
    return NULL;
}

/* Runs `what` beside that thread. */
static void beside(void *(*thread)(void *), void (*what)(void))
{
    pthread_t other;
    atomic_store(&stop, false);
    pthread_create(&other, NULL, thread, NULL);
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    what();
    atomic_store(&stop, true);
    atomic_fetch_add(&word, 1);
    futex(FUTEX_WAKE, 1);
    pthread_join(other, NULL);
}

static double pause_ns, change_ns;

/* In the simulator a round trip is three transfers, a change, and half a pause at each side. */
static void measure_transfer(void)
{
    double round = loop(to_and_fro);
    put("round_trip", round);
    put("transfer", (round - pause_ns - change_ns) / 3);
}

static void measure_fence(void)
{
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    put("fence", some(fence));
}

static void measure_wake(void)
{
    double called[ROUNDS], latency[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        uint64_t begin = now();
        atomic_fetch_add(&word, 1);
        futex(FUTEX_WAKE, 1);
        called[round] = (double)(now() - begin);
        nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
        latency[round] = (double)atomic_load(&woken_at) - (double)begin - called[round];
    }
    put("wake", lowest(called));
    put("latency", median(latency, ROUNDS));
}

static double yield_ns;

static void measure_swap(void)
{
    sit_on(first, first);
    put("swap", (loop(yield) - 2 * yield_ns) / 2);
    sit_on(first, second);
}

/* How long the hog has the CPU when its slice ends by a tick. */
static void measure_slice(void)
{
    double away[ROUNDS];
    sit_on(first, first);
    for (int round = 0; round < ROUNDS;) {
        uint64_t begin = now(), then = now();
        if (then - begin > 300000)
            away[round++] = (double)(then - begin);
    }
    sit_on(first, second);
    put("slice", lowest(away));
    struct timespec tick; /* the clock that only ticks change */
    clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
    put("tick", (double)tick.tv_nsec);
    put("hot", 500000);
}

int main(void)
{
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    for (first = 0; first < CPU_SETSIZE && !CPU_ISSET(first, &set); first++)
        ;
    for (second = first + 1; second < CPU_SETSIZE && !CPU_ISSET(second, &set); second++)
        ;
    if (second >= CPU_SETSIZE) {
        fprintf(stderr, "measure: two CPUs are needed\n");
        return 1;
    }
    sit_on(first, first);
    printf("{");
    put("hit", loop(load));
    put("change", change_ns = loop(change));
    put("pause", pause_ns = loop(pause_once));
    put("clock", loop(read_clock));
    put("yield", yield_ns = loop(yield));
    put("sleep", loop(no_sleep));
    put("nap", some(nap) - 20000);
    put("ask", some(ask));
    beside(answer, measure_transfer);
    beside(answer, measure_fence);
    beside(sleeper, measure_wake);
    beside(yielder, measure_swap);
    beside(hog, measure_slice);
    sit_on(first, second);
    put("move", some(move) / 2);
    put("spawn", some(spawn) / 2);
    printf("\"hot_tries\": 2, \"far_factor\": 3}\n");
    return 0;
}
