/* Character arguments of Fortran: no zero byte at the end, and the length behind the other arguments. */
#pragma once

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
