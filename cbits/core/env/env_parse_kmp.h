/* Parsers of libomp's values: those of its variables (KMP_*), and its words for true and false. Contract as in
   env_parse.h. */
#pragma once

#include "core/state/settings.h"

/* Many words for true and for false, 1 and 0 among them. */
bool ghcomp_env_parse_kmp_bool(const char *text, bool *value);
/* A time, in nanoseconds: digits, with suffix us or ms (none = ms), or `infinite` or `infinity` (UINT64_MAX). */
bool ghcomp_env_parse_kmp_time(const char *text, uint64_t *nanoseconds);
/* In env_parse_machine.c. KMP_HW_SUBSET; KMP_PLAIN_BARRIER: one or two numbers below 32; KMP_PLAIN_BARRIER_PATTERN: one
   or two names. A single number or name leaves `release` unchanged. */
bool ghcomp_env_parse_hw_subset(const char *text, struct ghcomp_hw_subset *value);
bool ghcomp_env_parse_kmp_branches(const char *text, struct ghcomp_kmp_pair *value);
bool ghcomp_env_parse_kmp_patterns(const char *text, struct ghcomp_kmp_pair *value);
/* A list of modifiers and one type, separated by commas. */
bool ghcomp_env_parse_kmp_affinity(const char *text, struct ghcomp_kmp_affinity *value);
