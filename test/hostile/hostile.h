/* What the hostile programs share: how often to do things, random numbers whose seed a failure names, a region whose
   size is checked, processes of the program's own cases, and a way to tell that a thread sleeps. */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../conformance/common.h"
#include "../conformance/gate.h"

static inline int deep(void)
{
    const char *text = getenv("GHCOMP_DEEP");
    return text != NULL && text[0] != '\0' && strcmp(text, "0") != 0;
}

/* How often: in CI, and with GHCOMP_DEEP=1. */
static inline int times(int short_run, int deep_run)
{
    return deep() ? deep_run : short_run;
}

static inline double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* xorshift; each thread has a state of its own. */
static inline uint32_t draw(uint64_t *state, uint32_t below)
{
    uint64_t x = *state | 1;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *state = x;
    return (uint32_t)(x >> 32) % below;
}

/* A region of `size` threads with a barrier in it; the number of threads that have been in it. */
static inline int team(int size)
{
    int sum = 0;
#pragma omp parallel num_threads(size) reduction(+ : sum)
    {
#pragma omp barrier
        sum += 1;
    }
    return sum;
}

/* A region of `outer` threads, each of which opens one of `inner`. */
static inline int nested(int outer, int inner)
{
    int sum = 0;
#pragma omp parallel num_threads(outer) reduction(+ : sum)
    sum += team(inner);
    return sum;
}

/* ICVs are a thread's own: each initial thread starts with this. */
static inline void exact(void)
{
    omp_set_dynamic(0);
    omp_set_max_active_levels(4);
}

/* Until the thread sleeps in the kernel, or for `limit` seconds: a wait of the runtime may also spin, as long as it
   likes. */
static inline void until_asleep(pid_t thread, double limit)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)thread);
    for (double begin = now(); now() - begin < limit;) {
        FILE *file = fopen(path, "r");
        if (file == NULL)
            return;
        char *got = fgets(text, sizeof text, file);
        fclose(file);
        char *name_end = got != NULL ? strrchr(text, ')') : NULL;
        if (name_end != NULL && name_end[1] == ' ' && name_end[2] == 'S')
            return;
        usleep(200);
    }
}

/* The child's wait status. The child has an alarm of its own, so that a hang ends it. */
static inline int status_of(pid_t child)
{
    int status = 0;
    pid_t got;
    while ((got = waitpid(child, &status, 0)) < 0 && errno == EINTR)
        ;
    CHECK(got == child);
    return status;
}

/* --- cases, each a new process of this program ------------------------------------------------------------------- */

struct process_case {
    const char *name;
    void (*body)(void);
    int status;       /* as exit() has it, or minus the signal that ends it */
    const char *said; /* all that it prints */
};

enum { CASE_SECONDS = 60 };

/* Runs this program again with the case's name; how it ended, and what it printed. exec() as well as fork(): libgomp
   hangs in a child that only forked. */
static inline int run_case(char **argv, const char *name, char *said, size_t size)
{
    int ends[2];
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl("/proc/self/exe", argv[0], name, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    size_t length = 0;
    ssize_t got;
    while (length + 1 < size && (got = read(ends[0], said + length, size - 1 - length)) > 0)
        length += (size_t)got;
    said[length] = '\0';
    close(ends[0]);
    int status = status_of(child);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/* Each case `turns` times; main's result. */
static inline int run_cases(int argc, char **argv, const struct process_case *cases, size_t count, int turns)
{
    for (size_t i = 0; i < count; i++) {
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0) {
            alarm(CASE_SECONDS);
            cases[i].body();
            return 0;
        }
    }
    if (argc > 1) {
        fprintf(stderr, "there is no case %s\n", argv[1]);
        return 125;
    }
    for (int turn = 0; turn < turns; turn++) {
        for (size_t i = 0; i < count; i++) {
            char said[1000];
            int status = run_case(argv, cases[i].name, said, sizeof said);
            if (status != cases[i].status || strcmp(said, cases[i].said) != 0) {
                fprintf(stderr, "%s, turn %d: status %d instead of %d, printed `%s` instead of `%s`\n", cases[i].name,
                        turn, status, cases[i].status, said, cases[i].said);
                return 1;
            }
        }
    }
    printf("%zu cases, %d times each\n", count, turns);
    return 0;
}
