/* Character arguments of Fortran: without a zero byte at the end; the length comes after the other arguments. Tests:
 * test/conformance/fortran/affinity.f90, test/clang/affinity_fortran.f90. */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

/* A copy as a C string; the caller frees it. */
static inline char *ghcomp_fortran_c_string(const char *text, size_t length)
{
    char *copy = ghcomp_alloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* Moves a C string into a Fortran variable of `length` characters, and frees it. */
static inline void ghcomp_fortran_give_back(char *text, char *buffer, size_t length)
{
    size_t used = strnlen(text, length);
    memcpy(buffer, text, used);
    memset(buffer + used, ' ', length - used);
    free(text);
}

/* --- Fortran forms of C routines, which are the first argument ---------------------------------------------------- */

static inline void ghcomp_fortran_take(void (*take)(const char *), const char *text, size_t text_len)
{
    char *copy = ghcomp_fortran_c_string(text, text_len);
    take(copy);
    free(copy);
}

/* This routine and the next behave as snprintf does, but write no zero byte. */
static inline int32_t ghcomp_fortran_get(size_t (*get)(char *, size_t), char *buffer, size_t buffer_len)
{
    char *text = ghcomp_alloc_zeroed(buffer_len + 1);
    size_t length = get(text, buffer_len + 1);
    ghcomp_fortran_give_back(text, buffer, buffer_len);
    return (int32_t)length;
}

static inline int32_t ghcomp_fortran_capture(size_t (*capture)(char *, size_t, const char *), char *buffer,
                                             size_t buffer_len, const char *format, size_t format_len)
{
    char *copy = ghcomp_fortran_c_string(format, format_len), *text = ghcomp_alloc_zeroed(buffer_len + 1);
    size_t length = capture(text, buffer_len + 1, copy);
    free(copy);
    ghcomp_fortran_give_back(text, buffer, buffer_len);
    return (int32_t)length;
}
