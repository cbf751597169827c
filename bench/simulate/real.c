/* The simulator's programs in reality: what sim_work and the other functions of programs.h are where the CPUs are real
 * ones. It runs on whatever runtime the loader finds, and prints what main.c prints, as far as it can be seen from
 * here.
 *
 *   simulate-real PROGRAM THREADS WORK_NS MS
 *   simulate-real noise ON_US OFF_US MS        a process that computes and sleeps, by the clock
 *
 * Where the first two members are is asked of the kernel with each step that is more than 5 ms after the last time. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "programs.h"

enum { MOST_BUCKETS = 60000, LOOK_EVERY = 5000000 };

static struct {
    uint64_t begin, end, looked, steps;
    uint32_t step[MOST_BUCKETS], samples, together;
    int member[2];
    double cpu_begin;
} run;

static uint64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static double cpu_ms(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return 1e3 * (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-3 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static double loops_per_ns;

static void spin(uint64_t loops)
{
    for (volatile uint64_t i = 0; i < loops; i++)
        ;
}

static void calibrate(void)
{
    for (int i = 0; i < 20; i++) {
        uint64_t begin = clock_ns();
        spin(20000);
        double speed = 20000.0 / (double)(clock_ns() - begin);
        loops_per_ns = speed > loops_per_ns ? speed : loops_per_ns;
    }
}

void sim_work(uint64_t ns)
{
    if (ns > 0)
        spin((uint64_t)((double)ns * loops_per_ns));
}

void sim_member(void)
{
    int tid = omp_get_thread_num();
    if (tid < 2)
        run.member[tid] = (int)syscall(SYS_gettid);
}

/* The 39th field of its line, counted after the name. */
static int cpu_of(int thread)
{
    char path[64], text[1024] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    const char *at = length > 0 ? strrchr(text, ')') : NULL;
    for (int field = 2; at != NULL && field < 39; field++)
        at = strchr(at + 1, ' ');
    return at != NULL ? atoi(at) : -1;
}

static void finish(void)
{
    double ms = (double)(clock_ns() - run.begin) / 1e6;
    printf("{\"steps\": %llu, \"ms\": %.0f, \"cpu_ms\": %.3f, \"samples\": %u, \"together\": %u, \"step\": [",
           (unsigned long long)run.steps, ms, cpu_ms() - run.cpu_begin, run.samples, run.together);
    for (uint64_t i = 0; i < (run.end - run.begin) / 1000000; i++)
        printf("%s%u", i > 0 ? "," : "", run.step[i]);
    printf("]}\n");
    fflush(stdout);
    _exit(0);
}

void sim_step(void)
{
    static unsigned left;
    run.steps++;
    if (left-- > 0) { /* reading the clock costs a quarter of a region */
        run.step[(run.looked - run.begin) / 1000000]++;
        return;
    }
    uint64_t now = clock_ns();
    static uint64_t sampled;
    if (now >= run.end)
        finish();
    left = now - run.looked < 20000 ? 32 : 0;
    run.looked = now;
    run.step[(now - run.begin) / 1000000]++;
    if (now - sampled > LOOK_EVERY && run.member[1] != 0) {
        sampled = now;
        run.samples++;
        run.together += cpu_of(run.member[0]) == cpu_of(run.member[1]);
    }
}

static int noise(uint64_t on, uint64_t off, uint64_t ms)
{
    uint64_t end = clock_ns() + ms * 1000000;
    while (clock_ns() < end) {
        uint64_t until = clock_ns() + on;
        while (clock_ns() < until && clock_ns() < end)
            ;
        if (off > 0)
            nanosleep(&(struct timespec){(time_t)(off / 1000000000), (long)(off % 1000000000)}, NULL);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "see the head of bench/simulate/real.c\n");
        return 2;
    }
    uint64_t number[3];
    for (int i = 0; i < 3; i++)
        number[i] = strtoull(argv[2 + i], NULL, 10);
    if (strcmp(argv[1], "noise") == 0)
        return noise(number[0] * 1000, number[1] * 1000, number[2]);
    const struct program *program = programs;
    while (program->name != NULL && strcmp(program->name, argv[1]) != 0)
        program++;
    if (program->name == NULL || number[2] >= MOST_BUCKETS) {
        fprintf(stderr, "there is no such program, or it is too long\n");
        return 2;
    }
    calibrate();
    program_meet((int)number[0]);
    run.cpu_begin = cpu_ms();
    run.begin = run.looked = clock_ns();
    run.end = run.begin + number[2] * 1000000;
    program->run((int)number[0], number[1]);
    return 0;
}
