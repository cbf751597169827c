/* What a measured process says about itself. Any thread may ask. */
#pragma once

#include <stdint.h>

/* The object that serves the process's OpenMP. */
const char *bench_served_by(void);

/* Its host where it is ghc-openmp, "" otherwise. May choose the host, which may start a runtime. */
const char *bench_host(void);

/* The OS threads of the process, now. */
long bench_os_threads(void);

/* The OpenMP workers that ghc-openmp has made so far; -1 on another runtime. */
long bench_workers(void);

/* Looks at the number of OS threads every 10 ms from one time of CLOCK_MONOTONIC to another, in nanoseconds, on a thread
   of its own, which does not count itself: a Haskell thread would get no turn beside many callers. One at a time. */
void bench_watch(uint64_t opens, uint64_t closes);

/* Waits for its end; the number at the end, and the highest. */
void bench_watched(long *end, long *highest);
