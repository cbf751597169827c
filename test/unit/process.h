/* For tests that need more than one process: children by fork(), what a child writes before it ends, and cases that are
   a process of their own each, because a process cannot be brought back to its initial state. */
#pragma once

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

/* How the child ended, as waitpid() reports it: 0 when it passed. */
static inline int status_of(pid_t child)
{
    int status;
    CHECK(child > 0); /* fork() succeeded */
    CHECK(waitpid(child, &status, 0) == child);
    return status;
}

/* Runs `body` in a child by fork(), with `said` for all that it writes to stderr, cut at `size`; returns its status. */
static inline int child_says(void (*body)(void), char *said, size_t size)
{
    int ends[2];
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        body();
        _exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    ssize_t got;
    while ((got = read(ends[0], said + length, size - 1 - length)) > 0)
        length += (size_t)got;
    said[length] = 0;
    close(ends[0]);
    return status_of(child);
}

struct unit_case {
    const char *name;
    void (*run)(void);
};
#define UNIT_CASE(function) {#function, function}

/* The result of a main whose cases begin with `prepare`. They run one after the other, each in a new process of this
   program whose argument is the case's name: exec() as well as fork(), because a child of fork() has neither threads
   nor an RTS. UNIT_EMULATOR is what runs a program where this machine cannot (test/emulate.py). */
#define RUN_CASES(argc, argv, prepare, cases) run_cases(argc, argv, prepare, cases, sizeof(cases) / sizeof *(cases))

static inline int run_cases(int argc, char **argv, void (*prepare)(void), const struct unit_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0) {
            prepare();
            cases[i].run();
            return 0;
        }
    }
    if (argc > 1) {
        fprintf(stderr, "%s: there is no case %s\n", argv[0], argv[1]);
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        fprintf(stderr, "%s\n", cases[i].name);
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            const char *emulator = getenv("UNIT_EMULATOR");
            if (emulator != NULL)
                execlp(emulator, emulator, argv[0], cases[i].name, (char *)NULL);
            else
                execl("/proc/self/exe", argv[0], cases[i].name, (char *)NULL);
            _exit(127);
        }
        CHECK_EQUAL(0, status_of(child));
    }
    return 0;
}
