/* Printers of settings, for the rows of env_table.c: each prints the value in force, or that of a device
   (env_show.c). */
#pragma once

#include "core/env/env_table.h"

#define GHCOMP_PRINTER(name) ghcomp_setting_printer ghcomp_env_print_##name
GHCOMP_PRINTER(bool);
GHCOMP_PRINTER(number);
GHCOMP_PRINTER(word);
GHCOMP_PRINTER(wait_policy);
GHCOMP_PRINTER(size);
GHCOMP_PRINTER(list);
GHCOMP_PRINTER(string);
GHCOMP_PRINTER(reserve);
GHCOMP_PRINTER(nested);
GHCOMP_PRINTER(num_threads);
GHCOMP_PRINTER(schedule);
GHCOMP_PRINTER(device_schedule);
GHCOMP_PRINTER(default_device);
GHCOMP_PRINTER(proc_bind);
GHCOMP_PRINTER(places);
GHCOMP_PRINTER(thread_limit);
GHCOMP_PRINTER(max_active_levels);
GHCOMP_PRINTER(affinity_format);
GHCOMP_PRINTER(spincount);
GHCOMP_PRINTER(barrier);
GHCOMP_PRINTER(allocator);
GHCOMP_PRINTER(kmp_affinity);
GHCOMP_PRINTER(blocktime);
GHCOMP_PRINTER(reduction);
GHCOMP_PRINTER(hw_subset);
GHCOMP_PRINTER(kmp_branches);
GHCOMP_PRINTER(kmp_patterns);
#undef GHCOMP_PRINTER
