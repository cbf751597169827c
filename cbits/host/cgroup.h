/* The CPU quota of the process's control groups (containers). */
#pragma once

#include <stdint.h>

/* The quota rounded up to whole CPUs, at least 1; 0 when there is none. Reads a few small files (10 to 60
   microseconds), keeps nothing. Any thread. `root` is put before all names of files: "", or the folder of a test. */
uint32_t ghcomp_cgroup_quota(const char *root);
