/* The work that a program does under a CPU quota: the default team does regions of about 130 us of work until the time
 * is up. For bench/quota.py and test/container/quota.py; compiled by plain gcc -fopenmp, without our headers, for all
 * runtimes.
 *
 *     quota SECONDS    prints a JSON object: `work_s` is the CPU time that the regions' work takes one thread alone,
 *                      `cpu_s` what the process used, both without the first region.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PIECES = 48, STEPS = 2400, MOST = 1 << 18 };

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* One piece: STEPS steps of a linear congruential generator, each of which needs the one before. */
static uint64_t piece(uint64_t x)
{
    for (int i = 0; i < STEPS; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    return x;
}

static uint64_t region(void)
{
    uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int i = 0; i < PIECES; i++)
        sum += piece((uint64_t)i);
    return sum;
}

/* CPU seconds of a region's work without a team; the best of several, so that a busy machine has less effect. */
static double alone(uint64_t *sum)
{
    double best = 1;
    for (int batch = 0; batch < 20; batch++) {
        double began = seconds(CLOCK_THREAD_CPUTIME_ID);
        uint64_t x = 0;
        for (int i = 0; i < PIECES; i++)
            x += piece((uint64_t)i);
        double took = seconds(CLOCK_THREAD_CPUTIME_ID) - began;
        best = took < best ? took : best;
        *sum = x;
    }
    return best;
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static float took[MOST];
    double limit = argc > 1 ? atof(argv[1]) : 1;
    uint64_t wanted = 0;
    double cost = alone(&wanted);
    int threads = 0;
#pragma omp parallel
#pragma omp master
    threads = omp_get_num_threads();

    double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), began = seconds(CLOCK_MONOTONIC), now = began;
    long regions = 0;
    while (now - began < limit && regions < MOST) {
        if (region() != wanted) {
            fprintf(stderr, "a region computed something else\n");
            return 1;
        }
        double then = now;
        now = seconds(CLOCK_MONOTONIC);
        took[regions++] = (float)((now - then) * 1e6);
    }
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    qsort(took, (size_t)regions, sizeof took[0], by_size);

    Dl_info served = {.dli_fname = ""};
    dladdr(dlsym(RTLD_DEFAULT, "GOMP_parallel"), &served);
    const char *(*host)(void) = (const char *(*)(void))dlsym(RTLD_DEFAULT, "ghcomp_host_name");
    printf("{\"object\": \"%s\", \"host\": \"%s\", \"threads\": %d, \"regions\": %ld, \"wall_s\": %.6f, "
           "\"cpu_s\": %.6f, \"work_s\": %.6f, \"p50_us\": %.1f, \"p99_us\": %.1f}\n",
           served.dli_fname, host != NULL ? host() : "", threads, regions, now - began, cpu, (double)regions * cost,
           took[regions / 2], took[regions - 1 - regions / 100]);
    return 0;
}
