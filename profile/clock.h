/* The clock of the profiler: ticks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"

/* Ticks of the processor's counter where the kernel itself keeps time by it, else nanoseconds. */
extern bool profile_counter GHCOMP_OWN; /* immutable after profile_clock_start */
uint64_t profile_nanoseconds_now(void);
void profile_clock_start(void);
/* Measures the length of a tick, for profile_ns. */
void profile_clock_measure(void);
uint64_t profile_ns(uint64_t ticks);
/* The number of ticks, by an estimate while the program runs. */
uint64_t profile_ticks(uint64_t ns);

static inline uint64_t profile_now(void)
{
    return profile_counter ? ghcomp_cpu_ticks() : profile_nanoseconds_now();
}
