/* The CPU quota of the process's control groups (containers). */
#pragma once

#include <stdint.h>

/* The quota rounded up to whole CPUs, at least 1; 0 when there is none. Reads a few small files (10 to 60
   microseconds) and keeps no state. Any thread. `root` is put before all file names: "", or a test's folder. */
uint32_t ghcomp_cgroup_quota(const char *root);
