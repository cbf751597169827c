/* Messages and invariants. A message is one line on stderr with the error and the remedy.
 *
 * ghcomp_fatal for a misuse or shortage that the program cannot survive (exit status 1, as with libgomp); ghcomp_warn
 * for a bad setting that has a default; ghcomp_invariant for a condition that only a bug of the runtime can break
 * (abort). Any thread may call them, in a signal handler too; they allocate nothing.
 */
#pragma once

#include "base/atomic.h"

/* Prints "ghc-openmp: MESSAGE\n" and ends the process with exit status 1. If several threads call it, only the first
   message is printed. */
void ghcomp_fatal(const char *format, ...) __attribute__((noreturn, cold, format(printf, 1, 2)));
/* Prints "\nlibgomp: MESSAGE\n" and ends the process with exit status 1: for the texts that are part of the ABI. */
void ghcomp_fatal_compat(const char *format, ...) __attribute__((noreturn, cold, format(printf, 1, 2)));
/* Prints "ghc-openmp: warning: MESSAGE\n". */
void ghcomp_warn(const char *format, ...) __attribute__((cold, format(printf, 1, 2)));
/* Suppresses warnings, or prints them again. */
void ghcomp_warn_quietly(bool quietly);
/* Prints "\nlibgomp: MESSAGE\n" and returns: for the texts that are part of the ABI. */
void ghcomp_warn_compat(const char *format, ...) __attribute__((cold, format(printf, 1, 2)));
/* As libomp prints them: with the prefixes "OMP: Error: " and "OMP: Warning: ". */
void ghcomp_fatal_libomp(const char *format, ...) __attribute__((noreturn, cold, format(printf, 1, 2)));
void ghcomp_warn_libomp(const char *format, ...) __attribute__((cold, format(printf, 1, 2)));

/* Writes a whole text to stderr: the lines of several threads do not mix, even if the kernel writes them in parts. */
void ghcomp_put_text(const char *text, size_t length);

/* A text from outside as a message shows it, on one line and without effect on a terminal: at most GHCOMP_SHOWN bytes
   of it, then "..."; control characters and bytes that are not UTF-8 as \xNN. */
enum { GHCOMP_SHOWN = 200 };
struct ghcomp_shown {
    char text[GHCOMP_SHOWN + 8];
};
struct ghcomp_shown ghcomp_shown(const char *text);
/* The same of the first `length` bytes. */
struct ghcomp_shown ghcomp_shown_part(const char *text, size_t length);

/* Ends the process with an internal error: this condition does not hold in this line. */
void ghcomp_invariant_broken(const char *what, const char *file, int line) __attribute__((noreturn, cold));
/* Ends the process with an internal error unless the condition holds. */
#define ghcomp_invariant(condition)                                              \
    do {                                                                         \
        if (ghcomp_unlikely(!(condition)))                                       \
            ghcomp_invariant_broken(#condition, __FILE__, __LINE__);             \
    } while (0)

/* malloc and its like that never return NULL: a shortage ends the program by ghcomp_fatal. ghcomp_alloc_lines gives
   zeroed memory aligned to GHCOMP_PAD_LINE. All are freed with free(). ghcomp_try_alloc_lines may return NULL. */
void *ghcomp_alloc(size_t bytes);
void *ghcomp_alloc_zeroed(size_t bytes);
void *ghcomp_alloc_lines(size_t bytes);
void *ghcomp_try_alloc_lines(size_t bytes);
/* A copy of the first `length` bytes of a text, with a NUL behind it. */
char *ghcomp_alloc_text(const char *text, size_t length);
/* pthread_atfork; a shortage ends the program. */
void ghcomp_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void));
