/* Printers of settings, for the rows of env_table.c: each prints the value in force (env_show.c). */
#pragma once

#include "core/env_table.h"

#define GHCOMP_PRINTER(name) void ghcomp_env_print_##name(const struct ghcomp_setting *row, FILE *out)
GHCOMP_PRINTER(bool);
GHCOMP_PRINTER(number);
GHCOMP_PRINTER(word);
GHCOMP_PRINTER(string);
GHCOMP_PRINTER(dynamic);
GHCOMP_PRINTER(nested);
GHCOMP_PRINTER(num_threads);
GHCOMP_PRINTER(schedule);
GHCOMP_PRINTER(proc_bind);
GHCOMP_PRINTER(places);
GHCOMP_PRINTER(stacksize);
GHCOMP_PRINTER(wait_policy);
GHCOMP_PRINTER(thread_limit);
GHCOMP_PRINTER(max_active_levels);
GHCOMP_PRINTER(num_teams);
GHCOMP_PRINTER(teams_thread_limit);
GHCOMP_PRINTER(affinity_format);
GHCOMP_PRINTER(spincount);
#undef GHCOMP_PRINTER
