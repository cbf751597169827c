/* The bounds of the process's control groups (containers): CPU time and threads. */
#pragma once

#include <stdint.h>

/* The quota rounded up to whole CPUs, at least 1; 0 when there is none. Reads a few small files (10 to 60
   microseconds) and keeps no state. Any thread. `root` is put before all file names: "", or a test's folder. */
uint32_t ghcomp_cgroup_quota(const char *root);

/* How many more threads the groups allow now, by pids.max and pids.current (which includes other processes' threads);
   UINT32_MAX: no limit. Otherwise as above. */
uint32_t ghcomp_cgroup_threads_left(const char *root);
