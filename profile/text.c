/* Texts that grow (text.h). */
#include "text.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
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

void text_decimal(char *out, size_t there, double value, unsigned digits)
{
    static const unsigned scales[] = {1, 10, 100, 1000, 10000};
    unsigned scale = scales[digits];
    unsigned long long n = (unsigned long long)((value < 0 ? -value : value) * scale + 0.5);
    int length = snprintf(out, there, "%s%llu", value < 0 && n != 0 ? "-" : "", n / scale);
    if (digits != 0 && length > 0 && (size_t)length < there)
        snprintf(out + length, there - (size_t)length, ".%0*u", (int)digits, (unsigned)(n % scale));
}

/* The length of the character of UTF-8 that begins there, 0 if none does: overlong forms, surrogates and what is above
   U+10FFFF are none. */
static int character(const unsigned char *at)
{
    int length = at[0] < 0x80 ? 1 : at[0] >= 0xc2 && at[0] < 0xe0 ? 2 : at[0] >= 0xe0 && at[0] < 0xf0 ? 3
               : at[0] >= 0xf0 && at[0] < 0xf5 ? 4 : 0;
    for (int i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] >= 0xa0) || (at[0] == 0xf0 && at[1] < 0x90) ||
        (at[0] == 0xf4 && at[1] >= 0x90))
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

static bool write_all(struct text *text, int fd)
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

/* The signals that a write sends to its thread, for a pipe without a reader and for a file beyond the limit of its
   size, would end the program, which has not written. */
bool text_write(struct text *text, int fd)
{
    sigset_t ours, before, pending;
    sigemptyset(&ours);
    sigaddset(&ours, SIGPIPE);
    sigaddset(&ours, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &ours, &before);
    sigpending(&pending);
    bool good = write_all(text, fd);
    int error = errno;
    for (const int *signal = (const int[]){SIGPIPE, SIGXFSZ, 0}; *signal != 0; signal++) {
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, *signal);
        while (!good && !sigismember(&pending, *signal) && sigtimedwait(&one, NULL, &(struct timespec){0, 0}) < 0 &&
               errno == EINTR)
            continue;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return good;
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
