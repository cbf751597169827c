/* What OpenMP constructs get done beside other processes that compute on the same CPUs. For bench/neighbours.py and
 * bench/noise.py; compiled by plain gcc -fopenmp, without our headers, for all runtimes.
 *
 *     neighbours compute       computes until it is killed: a neighbour
 *     neighbours compute ON OFF
 *                              the same, but sleeps for OFF milliseconds each time that it has computed for ON
 *     neighbours ROW MICROSECONDS SECONDS [COUNT ON OFF]
 *                              repeats the row's step, with so much work in each part, until the time is up, and
 *                              prints a JSON object: `per_s` is how many steps it did a second, `cpus` the CPUs used,
 *                              `median_ns` and `worst_ns` the time of a step in slices of 50 ms, 0 where one thread
 *                              alone does not count all steps. With COUNT there is noise that comes and goes, and
 *                              `noisy_ns`, `back_ns` and `quiet_ns` are the times of a step within one period of it
 *
 * The team is OMP_NUM_THREADS. Each step checks its result.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/capability.h>
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A linear congruential generator, each step of which needs the one before. */
static uint64_t work(uint64_t x, long steps)
{
    for (long i = 0; i < steps; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    return x;
}

static double per_microsecond; /* steps of `work` */
static long steps;             /* of `work`, in each part */
static volatile uint64_t sink;
static double until;

static void part(void)
{
    if (steps > 0)
        sink = work(sink, steps);
}

static void fail(const char *row)
{
    fprintf(stderr, "neighbours: wrong result in %s\n", row);
    exit(1);
}

/* Steps of `work` in a microsecond of CPU time; the best of several, as neighbours disturb some. */
static double speed(void)
{
    enum { SAMPLE = 200000 };
    double best = 1;
    for (int i = 0; i < 10; i++) {
        double began = seconds(CLOCK_THREAD_CPUTIME_ID);
        sink = work((uint64_t)i, SAMPLE);
        double took = seconds(CLOCK_THREAD_CPUTIME_ID) - began;
        best = took < best ? took : best;
    }
    return SAMPLE / (best * 1e6);
}

/* Whether the time is up; each thread that asks does one step at least. */
static bool over(long done)
{
    return done > 0 && seconds(CLOCK_MONOTONIC) >= until;
}

/* ns a step in each slice of 50 ms, or in a longer one where a step took longer. Kept by the one thread at a time that
   counts all steps. */
static struct {
    double ns[4096], began;
    long done;
    int count;
} slices;

/* Noise that comes and goes: COUNT processes that compute for `on` of each `cycle` seconds while the first `noisy`
   seconds of a period last, a whole number of cycles, and sleep for the rest of it. */
static double cycle, on, noisy, period;
/* When the first period began; 0 before. The noise's processes have it, too. */
static volatile double *first_period;

/* A period's parts. Up to BACK_AFTER after its end the noise may show. */
enum { NOISY, ENDED, BACK, QUIET, PARTS };
static const double LEAST_NOISY = 0.2, WITHOUT = 0.25, BACK_AFTER = 0.02, QUIET_AFTER = 0.07;
/* The time and the steps of each part; kept as the slices are. A step belongs to the part that it began in. */
static struct {
    double took[PARTS], last;
    long done[PARTS], counted;
    int now;
} parts;

static int part_at(double in_period)
{
    double after = in_period - noisy;
    return after < 0 ? NOISY : after < BACK_AFTER ? ENDED : after < QUIET_AFTER ? BACK : QUIET;
}

static void count_parts(double now, long done)
{
    int next = part_at(fmod(now - *first_period, period));
    if (next == parts.now)
        return;
    parts.took[parts.now] += now - parts.last;
    parts.done[parts.now] += done - parts.counted;
    parts.last = now;
    parts.counted = done;
    parts.now = next;
}

/* ns a step; 0 where the part had none. */
static double of_part(int which)
{
    return parts.done[which] > 0 ? 1e9 * parts.took[which] / (double)parts.done[which] : 0;
}

/* As over(), where `done` is the number of all steps since the program's clock began. */
static bool over_for_all(long done)
{
    double now = seconds(CLOCK_MONOTONIC), took = now - slices.began;
    if (period > 0)
        count_parts(now, done);
    if (took >= 0.05 && done > slices.done && slices.count < (int)(sizeof slices.ns / sizeof slices.ns[0])) {
        slices.ns[slices.count++] = 1e9 * took / (double)(done - slices.done);
        slices.began = now;
        slices.done = done;
    }
    return done > 0 && now >= until;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* --- rows: each returns how many steps it did --------------------------------------------------------------------- */

static long regions_until(bool (*stop)(long))
{
    long done = 0;
    while (!stop(done)) {
        int there = 0;
#pragma omp parallel reduction(+ : there)
        {
            part();
            there = 1;
        }
        if (there != omp_get_max_threads())
            fail("regions");
        done++;
    }
    return done;
}

static long regions(void)
{
    return regions_until(over_for_all);
}

/* A step is a part that one thread computes and a region whose members compute for 50 us each. */
static long phases(void)
{
    long done = 0, serial = steps;
    steps = (long)(50 * per_microsecond);
    while (!over_for_all(done)) {
        int there = 0;
        sink = work(sink, serial);
#pragma omp parallel reduction(+ : there)
        {
            part();
            there = 1;
        }
        if (there != omp_get_max_threads())
            fail("phases");
        done++;
    }
    return done;
}

/* A step is a round of two barriers. */
static long barriers(void)
{
    long done = 0;
    bool stop = false;
#pragma omp parallel
    for (bool mine = false; !mine;) {
        part();
#pragma omp barrier
#pragma omp master
        {
            done++;
            stop = over_for_all(done);
        }
        part();
#pragma omp barrier
        mine = stop;
    }
    return done;
}

/* A step is an iteration; each needs the one before. */
static long doacross(void)
{
    enum { ITERATIONS = 256 };
    long done = 0;
    static long value[ITERATIONS + 1];
    while (!over_for_all(done)) {
#pragma omp parallel for schedule(static, 1) ordered(1)
        for (int i = 1; i <= ITERATIONS; i++) {
            part();
#pragma omp ordered depend(sink : i - 1)
            value[i] = value[i - 1] + 1;
#pragma omp ordered depend(source)
        }
        if (value[ITERATIONS] != ITERATIONS)
            fail("doacross");
        done += ITERATIONS;
    }
    return done;
}

/* A step is an iteration of an ordered loop. */
static long ordered(void)
{
    enum { ITERATIONS = 256 };
    long done = 0;
    while (!over_for_all(done)) {
        long sum = 0;
#pragma omp parallel for schedule(static, 1) ordered
        for (int i = 0; i < ITERATIONS; i++) {
            part();
#pragma omp ordered
            sum = sum * 3 % 1000003 + i;
        }
        long wanted = 0;
        for (int i = 0; i < ITERATIONS; i++)
            wanted = wanted * 3 % 1000003 + i;
        if (sum != wanted)
            fail("ordered");
        done += ITERATIONS;
    }
    return done;
}

static long copyprivate(void)
{
    long done = 0;
#pragma omp parallel
    {
        long value = 0;
        bool stop = false;
        do {
            part();
#pragma omp single copyprivate(value, stop)
            {
                value = ++done;
                stop = done % 16 == 0 && over_for_all(done);
            }
            if (value < 1)
                fail("copyprivate");
        } while (!stop);
    }
    return done;
}

/* A step is a region with a reduction of 4,096 elements. */
static long reduction(void)
{
    enum { SIZE = 4096 };
    static long total[SIZE];
    long done = 0;
    while (!over_for_all(done)) {
        memset(total, 0, sizeof total);
#pragma omp parallel reduction(+ : total)
        {
            part();
            for (int i = 0; i < SIZE; i++)
                total[i] += i;
        }
        if (total[SIZE - 1] != (long)(SIZE - 1) * omp_get_max_threads())
            fail("reduction");
        done++;
    }
    return done;
}

/* A step is a loop of 64 iterations, all with the part's work. */
static long loop(omp_sched_t kind)
{
    enum { ITERATIONS = 64 };
    long done = 0;
    omp_set_schedule(kind, 1);
    while (!over_for_all(done)) {
        int count = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : count)
        for (int i = 0; i < ITERATIONS; i++) {
            part();
            count++;
        }
        if (count != ITERATIONS)
            fail("loop");
        done++;
    }
    return done;
}

static long dynamic(void)
{
    return loop(omp_sched_dynamic);
}

static long guided(void)
{
    return loop(omp_sched_guided);
}

/* A step is a region in which one thread creates 64 tasks and waits for them. */
static long tasks(void)
{
    enum { TASKS = 64 };
    long done = 0;
    while (!over_for_all(done)) {
        static int ran[TASKS];
        memset(ran, 0, sizeof ran);
#pragma omp parallel
#pragma omp single
        {
            for (int i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(i)
                {
                    part();
                    ran[i] = 1;
                }
            }
#pragma omp taskwait
            for (int i = 0; i < TASKS; i++)
                if (!ran[i])
                    fail("tasks");
        }
        done++;
    }
    return done;
}

/* A step is an entry of a critical section. */
static long critical(void)
{
    long done = 0;
    bool stop = false;
#pragma omp parallel
    for (bool mine = false; !mine;) {
        part();
#pragma omp critical
        {
            done++;
            if (done % 64 == 0)
                stop = over_for_all(done);
            mine = stop;
        }
    }
    return done;
}

static void *region_of_a_thread(void *done)
{
    int there = 0;
#pragma omp parallel reduction(+ : there)
    {
        part();
        there = 1;
    }
    if (there < 1)
        fail("threads");
    return done;
}

/* A step is a thread that comes, opens a region and ends. */
static long threads(void)
{
    long done = 0;
    while (!over_for_all(done)) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, region_of_a_thread, NULL) != 0 || pthread_join(thread, NULL) != 0)
            fail("threads");
        done++;
    }
    return done;
}

/* The runtime reads the namespaces of threads that may change them (CAP_SYS_ADMIN). A new process has the capabilities
   of the bounding set only. */
static void become_ordinary(char **argv)
{
    if (prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN, 0, 0, 0) == 0) {
        execv("/proc/self/exe", argv);
        perror("neighbours: cannot start itself");
        exit(1);
    }
}

static void *master(void *count)
{
    *(long *)count = regions_until(over);
    return NULL;
}

/* 16 masters at once; a step is a region of any. */
static long masters(void)
{
    enum { MASTERS = 16 };
    pthread_t thread[MASTERS];
    static struct {
        _Alignas(128) long count;
    } of[MASTERS];
    long done = 0;
    for (int i = 0; i < MASTERS; i++)
        if (pthread_create(&thread[i], NULL, master, &of[i].count) != 0)
            fail("masters");
    for (int i = 0; i < MASTERS; i++) {
        pthread_join(thread[i], NULL);
        done += of[i].count;
    }
    return done;
}

static const struct {
    const char *name;
    long (*run)(void);
} rows[] = {
    {"regions", regions},   {"barriers", barriers},       {"doacross", doacross}, {"ordered", ordered},
    {"dynamic", dynamic},   {"copyprivate", copyprivate}, {"guided", guided},     {"reduction", reduction},
    {"critical", critical}, {"threads", threads},         {"masters", masters},   {"tasks", tasks},
    {"phases", phases},     {"threads-user", threads},
};

static void sleep_for(double time)
{
    struct timespec off = {(time_t)time, (long)((time - (double)(time_t)time) * 1e9)};
    nanosleep(&off, NULL);
}

static void compute(double on_ms, double off_ms)
{
    for (;;) {
        double end = seconds(CLOCK_MONOTONIC) + 1e-3 * on_ms;
        while (off_ms <= 0 || seconds(CLOCK_MONOTONIC) < end)
            sink = work(sink, 10000);
        sleep_for(1e-3 * off_ms);
    }
}

/* One process of the noise, until its parent ends. */
static void be_noise(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getppid() == parent) {
        double in_period = *first_period > 0 ? fmod(seconds(CLOCK_MONOTONIC) - *first_period, period) : -1;
        if (in_period < 0)
            sleep_for(0.001);
        else if (in_period >= noisy)
            sleep_for(period - in_period);
        else if (fmod(in_period, cycle) < on)
            sink = work(sink, 10000);
        else
            sleep_for(cycle - fmod(in_period, cycle));
    }
    _exit(0);
}

/* Before the runtime has threads. */
static void start_noise(int count, double on_ms, double off_ms)
{
    on = 1e-3 * on_ms;
    cycle = on + 1e-3 * off_ms;
    noisy = ceil(LEAST_NOISY / cycle) * cycle;
    period = noisy + WITHOUT;
    first_period = mmap(NULL, sizeof *first_period, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t parent = getpid(), child = 0;
    for (int i = 0; first_period != MAP_FAILED && child >= 0 && i < count; i++)
        if ((child = fork()) == 0)
            be_noise(parent);
    if (first_period == MAP_FAILED || child < 0) {
        perror("neighbours: cannot start the noise");
        exit(1);
    }
}

int main(int argc, char **argv)
{
    if (argc >= 2 && strcmp(argv[1], "compute") == 0)
        compute(argc == 4 ? atof(argv[2]) : 0, argc == 4 ? atof(argv[3]) : 0);
    if (argc != 4 && argc != 7) {
        fprintf(stderr, "usage: neighbours compute [ON OFF] | neighbours ROW MICROSECONDS SECONDS [COUNT ON OFF]\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(argv[1], rows[i].name) != 0)
            continue;
        if (strcmp(argv[1], "threads-user") == 0 && prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN, 0, 0, 0) == 1)
            become_ordinary(argv);
        per_microsecond = speed();
        if (argc == 7)
            start_noise(atoi(argv[4]), atof(argv[5]), atof(argv[6]));
        steps = (long)(atof(argv[2]) * per_microsecond);
        /* The first region starts threads. */
        until = 0;
        region_of_a_thread(NULL);
        double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), began = seconds(CLOCK_MONOTONIC);
        until = began + atof(argv[3]);
        slices.began = parts.last = began;
        if (period > 0)
            *first_period = began;
        long done = rows[i].run();
        double took = seconds(CLOCK_MONOTONIC) - began;
        cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        Dl_info served = {.dli_fname = ""};
        dladdr(dlsym(RTLD_DEFAULT, "GOMP_parallel"), &served);
        const char *(*host)(void) = (const char *(*)(void))dlsym(RTLD_DEFAULT, "ghcomp_host_name");
        qsort(slices.ns, (size_t)slices.count, sizeof slices.ns[0], ascending);
        double median = slices.count > 0 ? slices.ns[slices.count / 2] : 0;
        double worst = slices.count > 0 ? slices.ns[slices.count - 1] : 0;
        printf("{\"object\": \"%s\", \"host\": \"%s\", \"per_s\": %.3f, \"cpus\": %.3f, "
               "\"median_ns\": %.1f, \"worst_ns\": %.1f, \"noisy_ns\": %.1f, \"back_ns\": %.1f, \"quiet_ns\": %.1f}\n",
               served.dli_fname, host != NULL ? host() : "", (double)done / took, cpu / took, median, worst,
               of_part(NOISY), of_part(BACK), of_part(QUIET));
        return 0;
    }
    fprintf(stderr, "neighbours: no row named %s\n", argv[1]);
    return 2;
}
