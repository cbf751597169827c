/* What a measured library offers to calls.c: one kind of call that many threads make at once. Implemented by
 * calls_dgemm.c (OpenBLAS) and calls_fft.c (FFTW), each linked with calls.c to a program of its own. */
#pragma once

#include <stdbool.h>

struct library {
    /* The name in messages, and what a size looks like. */
    const char *name, *sizes;
    /* Makes the inputs, which all callers share, and the right result, by one thread. False: no such size. */
    bool (*prepare)(const char *size);
    /* A caller's own arrays; ends the process when there is no memory. */
    void *(*open)(void);
    /* The call of that number; even and odd ones have different results, so that an old result is never right. */
    void (*call)(void *own, long number);
    bool (*right)(const void *own, long number);
};

extern const struct library library;
