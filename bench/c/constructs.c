/* What each OpenMP construct costs, in nanoseconds an operation, and programs made of them.
 *
 *     constructs ROW THREADS [BATCH_MS [BATCHES]]
 *     constructs ROW THREADS =OPERATIONS
 *
 * One process measures one row at one number of threads and prints one JSON object. The binary is compiled once, by
 * `gcc -fopenmp`, and runs on the libgomp.so.1 that the loader finds; the JSON object names it, so that the driver
 * (bench/run.py) can refuse a sample that ran on the wrong one.
 *
 * A batch is as many operations as fill BATCH_MS (15 by default); the result is the best of BATCHES (7) batches, which
 * excludes first touches and most of the time that other processes take. With =OPERATIONS there is one batch of so
 * many, for those who count instructions (bench/watched.py). Every batch checks its work (each thread ran each region
 * once, no entry of a lock was lost, ordered regions came in order): a wrong result exits with status 1, since the time
 * of a wrong runtime is not a measurement. bench/construct_rows.py describes the rows.
 *
 * Fields below that several threads write are written through OpenMP alone, except in `transfer`, which measures the
 * machine with plain atomics and two pinned threads, without OpenMP.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "bench.h"

enum { WINDOWS = 20 };

struct slot hits[MAX_THREADS];
int threads;
static const char *row_name;

double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Context switches of all threads, including those that have ended, since the process began: getrusage(2). Waits count
   as voluntary switches, sched_yield and the end of a time slice as involuntary ones. */
static long switches_so_far(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* Those of the batch, once its kernel has returned; written by the thread that times it. */
static long switches;

double begin(void)
{
    switches -= switches_so_far();
    return now_ns();
}

double end(double start)
{
    double took = now_ns() - start;
    switches += switches_so_far();
    return took;
}

static void wrong(const char *what, long got, long want)
{
    fprintf(stderr, "constructs: %s with %d threads: wrong result: %s is %ld, should be %ld\n",
            row_name, threads, what, got, want);
    exit(1);
}

void expect(const char *what, long got, long want)
{
    if (got != want)
        wrong(what, got, want);
}

void clear_hits(void)
{
    memset(hits, 0, sizeof hits);
}

void expect_total(const char *what, long want)
{
    long sum = 0;
    for (int i = 0; i < MAX_THREADS; i++)
        sum += hits[i].n;
    expect(what, sum, want);
}

/* Slots 0 to m-1 hold `each`, and no other thread took part. */
static void expect_hits(int m, long each)
{
    for (int i = 0; i < MAX_THREADS; i++)
        expect("number of visits of a thread", hits[i].n, i < m ? each : 0);
}

/* ---- regions ---- */

static double run_parallel(long *n)
{
    clear_hits();
    double start = begin();
    for (long i = 0; i < *n; i++) {
#pragma omp parallel
        HIT();
    }
    double took = end(start);
    expect_hits(threads, *n);
    return took;
}

static double run_resize(long *n)
{
    *n += *n & 1;
    clear_hits();
    double start = begin();
    for (long i = 0; i < *n; i++) {
#pragma omp parallel num_threads(i & 1 ? 2 * threads : threads)
        HIT();
    }
    double took = end(start);
    for (int i = 0; i < MAX_THREADS; i++)
        expect("number of visits of a thread", hits[i].n, i < threads ? *n : i < 2 * threads ? *n / 2 : 0);
    return took;
}

/* An operation is one outer region; each of its threads runs one inner region of two. */
static double run_nested(long *n)
{
    clear_hits();
    double start = begin();
    for (long i = 0; i < *n; i++) {
#pragma omp parallel
        {
            int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
            hits[2 * outer + omp_get_thread_num()].n++;
        }
    }
    double took = end(start);
    expect_hits(2 * threads, *n);
    return took;
}

static double run_reduction(long *n)
{
    long total = 0;
    double start = begin();
    for (long i = 0; i < *n; i++) {
        long sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
        for (int j = 0; j < threads; j++)
            sum += j + 1;
        total += sum;
    }
    double took = end(start);
    expect("sum", total, *n * threads * (threads + 1) / 2);
    return took;
}

/* ---- inside one region: timed by its first thread, between two barriers ---- */

double team_start(void)
{
#pragma omp barrier
    return omp_get_thread_num() == 0 ? begin() : 0;
}

void team_stop(double start, double *took)
{
#pragma omp barrier
    if (omp_get_thread_num() == 0)
        *took = end(start);
}

/* Checks that a barrier holds its threads back. Not timed, since checking the other threads costs more than the
   barrier. */
static void check_barrier(void)
{
    long early = 0;
    clear_hits();
#pragma omp parallel reduction(+ : early)
    {
        for (long i = 1; i <= 50; i++) {
            HIT();
#pragma omp barrier
            for (int j = 0; j < threads; j++)
                early += __atomic_load_n(&hits[j].n, __ATOMIC_RELAXED) < i;
#pragma omp barrier
        }
    }
    expect("number of threads that a barrier let through early", early, 0);
    expect_hits(threads, 50);
}

static double run_barrier(long *n)
{
    double took = 0;
    long count = *n;
    check_barrier();
    clear_hits();
#pragma omp parallel
    {
        double start = team_start();
        for (long i = 0; i < count; i++) {
            HIT();
#pragma omp barrier
        }
        team_stop(start, &took);
    }
    expect_hits(threads, count);
    return took;
}

static double run_for_static(long *n)
{
    double took = 0;
    long count = *n;
    clear_hits();
#pragma omp parallel
    {
        double start = team_start();
        for (long i = 0; i < count; i++) {
#pragma omp for schedule(static)
            for (int j = 0; j < threads; j++)
                hits[j].n++;
        }
        team_stop(start, &took);
    }
    expect_hits(threads, count);
    return took;
}

static double run_single(long *n)
{
    double took = 0;
    long count = *n, done = 0;
#pragma omp parallel
    {
        double start = team_start();
        for (long i = 0; i < count; i++) {
#pragma omp single
            done++;
        }
        team_stop(start, &took);
    }
    expect("number of single blocks", done, count);
    return took;
}

static double run_critical(long *n)
{
    double took = 0;
    long each = (*n + threads - 1) / threads, done = 0;
    *n = each * threads;
#pragma omp parallel
    {
        double start = team_start();
        for (long i = 0; i < each; i++) {
#pragma omp critical
            done++;
        }
        team_stop(start, &took);
    }
    expect("number of entries", done, *n);
    return took;
}

static omp_lock_t lock;

static double run_lock(long *n)
{
    double took = 0;
    long each = (*n + threads - 1) / threads, done = 0;
    *n = each * threads;
#pragma omp parallel
    {
        double start = team_start();
        for (long i = 0; i < each; i++) {
            omp_set_lock(&lock);
            done++;
            omp_unset_lock(&lock);
        }
        team_stop(start, &took);
    }
    expect("number of entries", done, *n);
    return took;
}

static double run_ordered(long *n)
{
    double took = 0;
    long count = *n, next = 0, disorder = 0, astray = 0;
#pragma omp parallel reduction(+ : astray)
    {
        double start = team_start();
        long turn = omp_get_thread_num();
#pragma omp for ordered schedule(static, 1)
        for (long i = 0; i < count; i++) {
            /* This thread has every m-th iteration: consecutive ones are on different threads, which is the cost. */
            astray += i != turn;
            turn += threads;
#pragma omp ordered
            {
                disorder += next != i;
                next = i + 1;
            }
        }
        team_stop(start, &took);
    }
    expect("number of ordered blocks out of order", disorder, 0);
    expect("number of ordered blocks", next, count);
    expect("number of iterations on another thread than schedule(static, 1) says", astray, 0);
    return took;
}

static double run_dynamic(long *n)
{
    double took = 0;
    long count = *n, sum = 0;
#pragma omp parallel
    {
        double start = team_start();
        long mine = 0;
#pragma omp for schedule(nonmonotonic : dynamic, 1)
        for (long i = 0; i < count; i++) {
            mine += i;
            __asm__ volatile("" : "+r"(mine)); /* or a compiler adds up a whole chunk at once */
        }
#pragma omp atomic
        sum += mine;
        team_stop(start, &took);
    }
    expect("sum of the iterations", sum, count * (count - 1) / 2);
    return took;
}

static double run_dynamic_monotonic(long *n)
{
    double took = 0;
    long count = *n, sum = 0, back = 0;
#pragma omp parallel
    {
        double start = team_start();
        long mine = 0;
        long last = -1;
        long backwards = 0;
#pragma omp for schedule(monotonic : dynamic, 1)
        for (long i = 0; i < count; i++) {
            mine += i;
            backwards += i <= last;
            last = i;
        }
#pragma omp atomic
        sum += mine;
#pragma omp atomic
        back += backwards;
        team_stop(start, &took);
    }
    expect("sum of the iterations", sum, count * (count - 1) / 2);
    expect("number of iterations that a thread did out of order", back, 0);
    return took;
}

/* ---- how evenly threads get in: the worst thread's part of its fair share, percent, in windows of 1 ms ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double fair_share(int with_lock)
{
    double share[WINDOWS];
    for (int w = 0; w < WINDOWS; w++) {
        long done = 0, total = 0, least = -1;
        clear_hits();
#pragma omp parallel
        {
            long mine = 0;
#pragma omp barrier
            /* The clock is read outside the section and not at every entry, which would change the contention. */
            for (double end = now_ns() + 1e6; now_ns() < end;) {
                for (int k = 0; k < 8; k++, mine++) {
                    if (with_lock) {
                        omp_set_lock(&lock);
                        done++;
                        omp_unset_lock(&lock);
                    } else {
#pragma omp critical
                        done++;
                    }
                }
            }
            hits[omp_get_thread_num()].n = mine;
        }
        for (int i = 0; i < threads; i++) {
            total += hits[i].n;
            if (least < 0 || hits[i].n < least)
                least = hits[i].n;
        }
        expect("number of entries", done, total);
        share[w] = 100.0 * (double)least * threads / (double)total;
    }
    qsort(share, WINDOWS, sizeof share[0], by_value);
    return (share[WINDOWS / 2 - 1] + share[WINDOWS / 2]) / 2;
}

/* ---- the machine: one cache line from one core to another, one way ---- */

static struct slot ball;
static int cpu_of[2];

static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (pthread_setaffinity_np(pthread_self(), sizeof set, &set) != 0)
        fprintf(stderr, "constructs: could not pin a thread to CPU %d\n", cpu);
}

/* Passes the ball back: adds one whenever it is odd. The release store of each side pairs with the other's
   acquire. */
static void *passer(void *arg)
{
    long count = *(long *)arg;
    pin(cpu_of[1]);
    for (long i = 0; i < count; i++) {
        while (__atomic_load_n(&ball.n, __ATOMIC_ACQUIRE) != 2 * i + 1)
            ;
        __atomic_store_n(&ball.n, 2 * i + 2, __ATOMIC_RELEASE);
    }
    return NULL;
}

static double run_transfer(long *n)
{
    long trips = (*n + 1) / 2;
    pthread_t other;
    *n = 2 * trips;
    ball.n = 0;
    if (pthread_create(&other, NULL, passer, &trips) != 0) {
        fprintf(stderr, "constructs: could not create a thread\n");
        exit(1);
    }
    pin(cpu_of[0]);
    double start = 0;
    for (long i = 0; i < trips; i++) {
        __atomic_store_n(&ball.n, 2 * i + 1, __ATOMIC_RELEASE);
        while (__atomic_load_n(&ball.n, __ATOMIC_ACQUIRE) != 2 * i + 2)
            ;
        if (i == 0)
            start = now_ns(); /* the first answer waits for the other thread to start */
    }
    double took = now_ns() - start;
    pthread_join(other, NULL);
    expect("number of passes", ball.n, *n);
    return trips > 1 ? took * (double)trips / (double)(trips - 1) : took;
}

static int two_cpus(void)
{
    cpu_set_t set;
    int found = 0;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 0;
    for (int i = 0; i < CPU_SETSIZE && found < 2; i++) {
        if (CPU_ISSET(i, &set))
            cpu_of[found++] = i;
    }
    return found == 2;
}

/* ---- one sample ---- */

static const struct {
    const char *name;
    kernel *run;
} rows[] = {
    {"parallel", run_parallel},
    {"barrier", run_barrier},
    {"nested", run_nested},
    {"resize", run_resize},
    {"for-static", run_for_static},
    {"single", run_single},
    {"critical", run_critical},
    {"lock", run_lock},
    {"ordered", run_ordered},
    {"dynamic", run_dynamic},
    {"dynamic-monotonic", run_dynamic_monotonic},
    {"reduction", run_reduction},
    {"tasks", run_tasks},
    {"task-fib", run_task_fib},
    {"task-depend", run_task_depend},
    {"task-data", run_task_data},
    {"taskloop", run_taskloop},
    {"queens", run_queens},
    {"sort", run_sort},
    {"dgemm-256", run_dgemm_256},
    {"dgemm-512", run_dgemm_512},
    {"sine", run_sine},
    {"stencil", run_stencil},
    {"stencil-regions", run_stencil_regions},
    {"stencil-large", run_stencil_large},
    {"sparse-lu", run_sparse_lu},
    {"tree", run_tree},
    {"fractal", run_fractal},
    {"transfer", run_transfer},
};

/* The result of a sample: ns an operation in the best batch, operations of the last batch, and context switches an
   operation over all batches. */
struct sample {
    double best, switches;
    long ops;
};

/* `batches` batches of about `batch_ns`; fewer, but at least three, where long operations make them take twice that. A
   batch that is much shorter than that only corrects the estimate of how many operations fill one: the first batches
   include the start of the threads and of the runtime. */
static struct sample measure(kernel *run, double batch_ns, int batches)
{
    struct sample s = {.best = -1};
    double in_all = 0, counted = 0;
    long n = 1;
    for (int b = 0, corrections = 0; b < batches && (b < 3 || in_all < 2 * batches * batch_ns);) {
        long done = n;
        switches = 0;
        double took = run(&done);
        if (took < batch_ns / 2 && corrections++ < 40) {
            double more = batch_ns / (took + 1);
            n = (long)((double)done * (more > 16 ? 16 : more)) + 1;
            continue;
        }
        double each = took / (double)done;
        if (s.best < 0 || each < s.best)
            s.best = each;
        n = (long)((double)done * batch_ns / took) + 1;
        s.ops = done;
        s.switches += (double)switches;
        counted += (double)done;
        in_all += took;
        b++;
    }
    s.switches /= counted;
    return s;
}

static struct sample once(kernel *run, long operations)
{
    struct sample s = {.ops = operations};
    switches = 0;
    s.best = run(&s.ops) / (double)s.ops;
    s.switches = (double)switches / (double)s.ops;
    return s;
}

/* From /proc and not from the parent's getrusage, which counts what the parent had before exec. */
static double peak_memory_kb(void)
{
    char line[256];
    long kb = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        sscanf(line, "VmHWM: %ld kB", &kb);
    if (f != NULL)
        fclose(f);
    if (kb <= 0) {
        fprintf(stderr, "constructs: no VmHWM in /proc/self/status\n");
        exit(1);
    }
    return (double)kb;
}

/* The object that serves, and the host where it is ghc-openmp; looked up by name, since the same binary runs on
   runtimes that have no such function. */
static void print_runtime(void)
{
    Dl_info info;
    void *entry = dlsym(RTLD_DEFAULT, "GOMP_parallel");
    const char *(*host)(void) = (const char *(*)(void))dlsym(RTLD_DEFAULT, "ghcomp_host_name");
    if (entry == NULL || dladdr(entry, &info) == 0)
        info.dli_fname = "?";
    printf("\"object\": \"%s\", \"host\": \"%s\"", info.dli_fname, host ? host() : "");
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 5) {
        fprintf(stderr, "usage: constructs ROW THREADS [BATCH_MS [BATCHES]]\n");
        return 2;
    }
    row_name = argv[1];
    threads = atoi(argv[2]);
    long exactly = argc == 4 && argv[3][0] == '=' ? atol(argv[3] + 1) : 0;
    double batch_ns = (argc > 3 && exactly == 0 ? atof(argv[3]) : 15) * 1e6;
    int batches = argc > 4 ? atoi(argv[4]) : 7;
    if (threads < 1 || 2 * threads > MAX_THREADS || batch_ns <= 0 || batches < 1) {
        fprintf(stderr, "constructs: THREADS is 1 to %d, BATCH_MS and BATCHES are positive\n",
                MAX_THREADS / 2);
        return 2;
    }

    struct sample s = {.best = -1};
    if (strcmp(row_name, "transfer") == 0) {
        if (two_cpus())
            s = measure(run_transfer, batch_ns, batches);
        printf("{\"row\": \"transfer\", \"threads\": 2, \"value\": %.3f, \"ops\": %ld}\n", s.best, s.ops);
        return 0;
    }

    omp_set_dynamic(0);
    omp_set_num_threads(threads);
    omp_set_max_active_levels(strcmp(row_name, "nested") == 0 ? 2 : 1);
    omp_init_lock(&lock);
    if (strcmp(row_name, "start") == 0) {
        long once = 1;
        run_parallel(&once);
        /* The driver times the process. Asking for the host would start one, which one thread does not need. */
        return 0;
    }
    if (strcmp(row_name, "first") == 0 || strcmp(row_name, "memory") == 0) {
        long once = 1;
        s.best = run_parallel(&once);
        if (strcmp(row_name, "memory") == 0)
            s.best = peak_memory_kb();
        s.ops = 1;
    } else if (strcmp(row_name, "critical-fair") == 0) {
        s = (struct sample){.best = fair_share(0), .ops = WINDOWS};
    } else if (strcmp(row_name, "lock-fair") == 0) {
        s = (struct sample){.best = fair_share(1), .ops = WINDOWS};
    } else {
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            if (strcmp(rows[i].name, row_name) == 0)
                s = exactly > 0 ? once(rows[i].run, exactly) : measure(rows[i].run, batch_ns, batches);
        }
    }
    if (s.ops == 0) {
        fprintf(stderr, "constructs: no row named %s\n", row_name);
        return 2;
    }
    omp_destroy_lock(&lock);
    printf("{\"row\": \"%s\", \"threads\": %d, \"value\": %.3f, \"ops\": %ld, \"switches\": %.4f, ", row_name, threads,
           s.best, s.ops, s.switches);
    print_runtime();
    printf("}\n");
    return 0;
}
