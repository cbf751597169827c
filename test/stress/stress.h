/* Shared by the programs here. */
#pragma once

#include <time.h>

/* Seconds, from some point in time on. */
static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The next of a sequence of 24-bit numbers, which is the same one for the same seed. */
static inline unsigned draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}
