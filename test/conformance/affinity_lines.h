/* The lines that OMP_DISPLAY_AFFINITY prints. */
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include "common.h"

/* Regions of clang's code tell it on standard output, as on libomp. */
#ifdef __clang__
#define SHOWN stdout
#else
#define SHOWN stderr
#endif

enum { LINES = 4096 };

/* Runs the function; stores what has been shown meanwhile, and returns its length. */
static inline size_t lines_of(void (*run)(void), char text[LINES])
{
    char name[] = "/tmp/affinity-XXXXXX";
    int shown = fileno(SHOWN), saved = dup(shown), file = mkstemp(name);
    CHECK(saved >= 0 && file >= 0);
    unlink(name);
    fflush(SHOWN);
    CHECK(dup2(file, shown) >= 0);
    run();
    fflush(SHOWN);
    CHECK(dup2(saved, shown) >= 0);
    ssize_t length = pread(file, text, LINES - 1, 0);
    CHECK(length > 0);
    text[length] = '\0';
    return (size_t)length;
}

static inline int times(const char *text, const char *line)
{
    int count = 0;
    for (; (text = strstr(text, line)) != NULL; text++)
        count++;
    return count;
}
