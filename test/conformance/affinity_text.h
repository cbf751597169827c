/* What omp_capture_affinity has to write by a format. */
#pragma once

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect(const char *format, const char *expected)
{
    char text[256];
    size_t length = omp_capture_affinity(text, sizeof text, format);
    if (strcmp(text, expected) != 0 || length != strlen(expected)) {
        fprintf(stderr, "'%s' gives '%s' of %zu, not '%s'\n", format, text, length, expected);
        exit(1);
    }
}
