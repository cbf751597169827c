/* The affinity format: a thread's affinity as text. Fields and defaults in display_affinity.c. */
#pragma once

#include <stddef.h>

#include "core/state/types.h"

/* The calling thread's affinity by `format` (NULL or empty: affinity-format-var), NUL-terminated if size > 0. Returns
   the length of the whole text. Ends the program on a malformed format. */
size_t ghcomp_affinity_text(struct ghcomp_member *self, const char *format, char *buffer, size_t size);
/* The same as a line: on stderr, or in the program's stream stdout. */
enum ghcomp_affinity_stream { GHCOMP_AFFINITY_STDERR, GHCOMP_AFFINITY_STDOUT };
void ghcomp_affinity_print(struct ghcomp_member *self, const char *format, enum ghcomp_affinity_stream stream);

/* Whether a format is well-formed, and its fields are not wider than 65536 characters together; else writes what is
   wrong, to stand behind "the format". */
bool ghcomp_affinity_format_check(const char *format, char *wrong, size_t size);

/* affinity-format-var of the process. Any thread. */
void ghcomp_affinity_format_set(const char *format);
size_t ghcomp_affinity_format_get(char *buffer, size_t size);
