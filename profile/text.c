/* Texts that grow (text.h). */
#include "text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "settings.h"

static void reserve(struct text *text, size_t more)
{
    if (text->length + more < text->there)
        return;
    text->there = 2 * (text->length + more) + 1024;
    text->bytes = realloc(text->bytes, text->there);
    if (text->bytes == NULL) {
        profile_say("out of memory");
        _exit(1);
    }
}

void text_add(struct text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length > 0) {
        reserve(text, (size_t)length + 1);
        vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

/* The length of the character of UTF-8 that begins there, 0 if none does. */
static int character(const unsigned char *at)
{
    int length = at[0] < 0x80 ? 1 : at[0] >= 0xc2 && at[0] < 0xe0 ? 2 : at[0] >= 0xe0 && at[0] < 0xf0 ? 3
               : at[0] >= 0xf0 && at[0] < 0xf5 ? 4 : 0;
    for (int i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

void text_quoted(struct text *text, const char *string)
{
    const unsigned char *at = (const unsigned char *)string;
    text_add(text, "\"");
    while (*at != 0) {
        int length = character(at);
        if (length == 0)
            text_add(text, "\\ufffd"); /* a byte of a path that is no text */
        else if (*at == '"' || *at == '\\')
            text_add(text, "\\%c", *at);
        else if (*at < 0x20 || *at == 0x7f)
            text_add(text, "\\u%04x", *at);
        else
            text_add(text, "%.*s", length, at);
        at += length != 0 ? length : 1;
    }
    text_add(text, "\"");
}

void text_shown(struct text *text, const char *string)
{
    for (const unsigned char *at = (const unsigned char *)string; *at != 0; at++)
        if (*at < 0x20 || *at == 0x7f)
            text_add(text, "\\x%02x", *at);
        else
            text_add(text, "%c", *at);
}

bool text_write(struct text *text, int fd)
{
    size_t done = 0;
    while (done < text->length) {
        ssize_t written = write(fd, text->bytes + done, text->length - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        done += (size_t)written;
    }
    text->length = 0;
    return true;
}

void text_read(struct text *text, int fd)
{
    ssize_t got;
    do {
        reserve(text, 4096);
        got = read(fd, text->bytes + text->length, 4095);
        text->length += got > 0 ? (size_t)got : 0;
        text->bytes[text->length] = '\0';
    } while (got > 0 || (got < 0 && errno == EINTR));
}

void text_free(struct text *text)
{
    free(text->bytes);
    *text = (struct text){NULL, 0, 0};
}
