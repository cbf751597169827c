/* The steps by which the parsers of settings (env_parse.c, env_parse_kmp.c) read a text: each moves *at past the part
 * that it took, or returns false; it skips white space in front. The program's locale has no effect.
 * Covered by test/unit/env_parse*.c. */
#pragma once

#include <string.h>
#include <strings.h>

#include "core/env/env_parse.h"

static inline bool ghcomp_scan_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline void ghcomp_scan_space(const char **at)
{
    while (ghcomp_scan_is_space(**at))
        ++*at;
}

/* Whether nothing is left. */
static inline bool ghcomp_scan_end(const char **at)
{
    ghcomp_scan_space(at);
    return **at == '\0';
}

static inline bool ghcomp_scan_char(const char **at, char wanted)
{
    ghcomp_scan_space(at);
    if (**at != wanted)
        return false;
    ++*at;
    return true;
}

/* At most `most` digits, whose value fits in 64 bits; no sign. */
static inline bool ghcomp_scan_digits(const char **at, size_t most, uint64_t *value)
{
    ghcomp_scan_space(at);
    size_t digits = strspn(*at, "0123456789");
    if (digits == 0 || digits > most)
        return false;
    uint64_t number = 0;
    for (size_t i = 0; i < digits; i++)
        if (__builtin_mul_overflow(number, 10u, &number) ||
            __builtin_add_overflow(number, (uint64_t)((*at)[i] - '0'), &number))
            return false;
    *at += digits;
    *value = number;
    return true;
}

/* Finds the word that the next `length` characters spell, in either case; stores its value. */
static inline bool ghcomp_scan_word(const char **at, size_t length, const struct ghcomp_env_word *words, int *value)
{
    for (; words->name != NULL; words++)
        if (strlen(words->name) == length && strncasecmp(words->name, *at, length) == 0) {
            *at += length;
            *value = words->value;
            return true;
        }
    return false;
}
