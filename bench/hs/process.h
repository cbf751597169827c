/* What a measured process reports about itself. Any thread may call these functions. */
#pragma once

#include <stdint.h>

/* The object that serves the process's OpenMP. */
const char *bench_served_by(void);

/* Its host where it is ghc-openmp, "" otherwise. May choose the host, which may start an RTS. */
const char *bench_host(void);

/* The OS threads of the process, now. */
long bench_os_threads(void);

/* CLOCK_MONOTONIC, in nanoseconds. */
uint64_t bench_now_ns(void);

/* The CPU time that the process has used so far. */
double bench_cpu_seconds(void);

/* The OpenMP workers that ghc-openmp has made so far; -1 on another runtime. */
long bench_workers(void);

/* Samples the number of OS threads every 10 ms between two times of CLOCK_MONOTONIC, in nanoseconds, on a thread of its
   own, which does not count itself: a Haskell thread would not run beside many callers. One at a time. */
void bench_watch(uint64_t opens, uint64_t closes);

/* Waits for its end; returns the number at the end and the highest. */
void bench_watched(long *end, long *highest);
