/* How many threads a process can have at all. */
#pragma once

#include <stdint.h>

/* The most threads that a process can have on this system, whatever else runs there, and the name of the limit: what is
   larger is impossible. A smaller number may be, too (RLIMIT_NPROC, control groups, memory). Reads a few small files
   (20 microseconds) and keeps no state. Any thread. `root` is put before all file names: "", or a test's folder. */
uint32_t ghcomp_threads_most(const char *root, const char **limit);
