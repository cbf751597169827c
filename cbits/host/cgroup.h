/* How many CPUs the process may really use: its affinity mask, and the CPU quota of its control groups (containers). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* CPUs worth of threads: the affinity mask at load or, when smaller, the quota rounded up; at least 1. Reads a few
   small files (10 to 60 microseconds), keeps nothing. Any thread. */
uint32_t ghcomp_cgroup_cpus(bool ignore_quota);

/* The quota alone, rounded up to whole CPUs; 0 when there is none. `membership` is the file that /proc/self/cgroup is,
   `root` the folder that /sys/fs/cgroup is. */
uint32_t ghcomp_cgroup_quota(const char *membership, const char *root);
