/* Shared by the unit tests: a check that is always on, names the line and ends the test. A test is a program of its
   own: exit status 0 passes, anything else fails. */
#pragma once

#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

#define CHECK_EQUAL(expected, actual)                                                                            \
    do {                                                                                                         \
        long long expected_ = (long long)(expected), actual_ = (long long)(actual);                              \
        if (expected_ != actual_) {                                                                              \
            fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #actual, actual_, expected_); \
            exit(1);                                                                                             \
        }                                                                                                        \
    } while (0)

/* Whether the parts that judge by time are asked for: in the group `timing`, with `timing-part:` in the comment. */
static inline bool unit_timing(void)
{
    return getenv("TEST_TIMING") != NULL;
}

/* Whether the test is to leave out what needs `part`, for want of it where it runs (test/emulated). */
static inline bool unit_without(const char *part)
{
    const char *missing = getenv("UNIT_WITHOUT");
    return missing != NULL && strcmp(missing, part) == 0;
}

/* Whether this is a build for ThreadSanitizer, which finds nothing where one thread is alone. */
static inline bool unit_finds_races(void)
{
#ifdef __SANITIZE_THREAD__
    return true;
#else
    return false;
#endif
}

/* How often a test does something whose number is free: `count`, and a part of it, at least once, where processors are
   many times slower (UNIT_FEWER, of test/virtual.py), or each access to memory is (ThreadSanitizer). */
static inline int unit_rounds(int count)
{
    const char *fewer = getenv("UNIT_FEWER");
    int part = fewer != NULL ? count / atoi(fewer) : count;
    if (unit_finds_races())
        part /= 4;
    return part > 0 ? part : 1;
}

/* Whether CPUs are emulated and may take turns (test/virtual.py): a pause may last until all others have paused. */
static inline bool unit_by_turns(void)
{
    return getenv("UNIT_FEWER") != NULL;
}
