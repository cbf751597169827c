/* What a measured process says about itself. Any thread may ask. */
#pragma once

/* The object that serves the process's OpenMP. */
const char *bench_served_by(void);

/* Its host where it is ghc-openmp, "" otherwise. May choose the host, which may start a runtime. */
const char *bench_host(void);

/* The OS threads of the process, now. */
long bench_os_threads(void);

/* The OpenMP workers that ghc-openmp has made so far; -1 on another runtime. */
long bench_workers(void);
