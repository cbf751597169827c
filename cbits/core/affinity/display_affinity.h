/* The affinity format: a thread's affinity as text. Fields and defaults in display_affinity.c. */
#pragma once

#include <stddef.h>

#include "core/state/types.h"

/* The compiler of the calling code, gcc or clang. Each gets the output of its own runtime: lines on stderr, or in the
   program's stream stdout; the default format; a thread's native number as pthread_self has it, or as the kernel has
   it; two CPUs in a row as 0-1, or 0,1. libomp's formats may also have a 0 without a dot and a dot without a width,
   which have no effect, and malformed and unknown fields, which are "undefined". */
enum ghcomp_affinity_for { GHCOMP_AFFINITY_FOR_GCC, GHCOMP_AFFINITY_FOR_CLANG };

/* The calling thread's affinity by `format` (NULL or empty: affinity-format-var), NUL-terminated if size > 0. Returns
   the length of the whole text. Ends gcc's program on a malformed format. */
size_t ghcomp_affinity_text(struct ghcomp_member *self, enum ghcomp_affinity_for code, const char *format, char *buffer,
                            size_t size);
/* Prints the same text as a line. */
void ghcomp_affinity_print(struct ghcomp_member *self, enum ghcomp_affinity_for code, const char *format);

/* Whether a format is well-formed, and its fields are not wider than 65536 characters together; else writes the error,
   as the end of a sentence that begins with "the format". */
bool ghcomp_affinity_format_check(const char *format, char *wrong, size_t size);

/* affinity-format-var of the process. Any thread. */
void ghcomp_affinity_format_set(const char *format);
size_t ghcomp_affinity_format_get(enum ghcomp_affinity_for code, char *buffer, size_t size);
/* In the child of fork(): another thread may have had the format's lock. */
void ghcomp_affinity_format_fork_child(void);
