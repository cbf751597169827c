/* A text that grows, for what the profile prints and writes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    char *bytes;
    size_t length, there;
};

void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes value with that many digits, at most four, behind the point. printf() would take the comma of the program's
   locale, which JSON does not have. */
void text_decimal(char *out, size_t there, double value, unsigned digits);
/* A string of JSON with its quotes. */
void text_quoted(struct text *text, const char *string);
/* Without control characters. */
void text_shown(struct text *text, const char *string);
/* Writes all of it and empties it; false: it could not be written, and errno has the reason. No signal comes of it. */
bool text_write(struct text *text, int fd);
/* Appends the bytes from fd until its end. */
void text_read(struct text *text, int fd);
void text_free(struct text *text);
