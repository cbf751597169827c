/* Messages and invariants. A message is one line on stderr that says what is wrong and what to do.
 *
 * Which one to use: ghcomp_fatal for a misuse or shortage that the program cannot survive (exit status 1, as with
 * libgomp); ghcomp_warn for a bad setting that has a default; ghcomp_invariant for a condition that only a bug of ours
 * can break (abort). Any thread may call them; they allocate nothing, and the first four take no lock.
 */
#pragma once

#include "base/atomic.h"

/* Prints "ghc-openmp: MESSAGE\n" and ends the process with exit status 1. */
void ghcomp_fatal(const char *format, ...) __attribute__((noreturn, cold, format(printf, 1, 2)));
/* Prints "\nlibgomp: MESSAGE\n" and ends the process with exit status 1: for the texts that are part of the ABI. */
void ghcomp_fatal_compat(const char *format, ...) __attribute__((noreturn, cold, format(printf, 1, 2)));
/* Prints "ghc-openmp: warning: MESSAGE\n" in one write. */
void ghcomp_warn(const char *format, ...) __attribute__((cold, format(printf, 1, 2)));
/* Prints "\nlibgomp: MESSAGE\n" and goes on: for the texts that are part of the ABI. */
void ghcomp_warn_compat(const char *format, ...) __attribute__((cold, format(printf, 1, 2)));

void ghcomp_invariant_broken(const char *what, const char *file, int line) __attribute__((noreturn, cold));
#define ghcomp_invariant(condition)                                              \
    do {                                                                         \
        if (ghcomp_unlikely(!(condition)))                                       \
            ghcomp_invariant_broken(#condition, __FILE__, __LINE__);             \
    } while (0)

/* malloc and its like that never return NULL: a shortage ends the program (ghcomp_fatal says how much was wanted).
   ghcomp_alloc_lines gives zeroed memory aligned to GHCOMP_PAD_LINE. All are freed with free(). */
void *ghcomp_alloc(size_t bytes);
void *ghcomp_alloc_zeroed(size_t bytes);
void *ghcomp_alloc_lines(size_t bytes);
