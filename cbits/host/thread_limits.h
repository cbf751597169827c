/* How many threads a process can have at all. */
#pragma once

#include <stdint.h>

/* The greatest number of threads that a process could have on this system, whatever else runs, and the name of the
   limit. Smaller numbers may be impossible, too (RLIMIT_NPROC, control groups, memory). Reads a few small files (20
   microseconds) and keeps no state. Any thread. `root` is put before all file names: "", or a test's folder. */
uint32_t ghcomp_threads_most(const char *root, const char **limit);
