/* The parsers of the table's rows (`parse` in env_table.h), and the warnings of those that report more than the row's
 * `expects`. */
#pragma once

#include "core/env/env_table.h"

typedef bool ghcomp_env_taker(const struct ghcomp_setting *row, const char *text, void *into);
ghcomp_env_taker ghcomp_env_take_bool, ghcomp_env_take_number, ghcomp_env_take_word, ghcomp_env_take_devices,
    ghcomp_env_take_numbers, ghcomp_env_take_size, ghcomp_env_take_count, ghcomp_env_take_schedule,
    ghcomp_env_take_string, ghcomp_env_take_format, ghcomp_env_take_allocator, ghcomp_env_take_switch,
    ghcomp_env_take_proc_bind, ghcomp_env_take_kmp_time, ghcomp_env_take_kmp_affinity, ghcomp_env_take_kmp_size,
    ghcomp_env_take_kmp_threads, ghcomp_env_take_reserve, ghcomp_env_take_hw_subset, ghcomp_env_take_kmp_branches,
    ghcomp_env_take_kmp_patterns, ghcomp_env_take_display, ghcomp_env_take_tool;

typedef void ghcomp_env_warner(const struct ghcomp_setting *row, const char *name, const char *text,
                               const char *expects, const char *instead);
ghcomp_env_warner ghcomp_env_warn_format, ghcomp_env_warn_allocator, ghcomp_env_warn_tool;
