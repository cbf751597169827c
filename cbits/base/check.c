/* Messages, invariants and the allocation that cannot fail. See check.h; covered by test/unit/check.c (and
 * test/scripts/optimised.sh) and, with each call of the C library failing in turn, by test/fault/inject.py.
 *
 * The end of the process. Several threads may meet a shortage at once, and so may handlers that exit() calls. The first
 * thread prints its message, and only that thread calls exit(), which is undefined when two threads call it. Other
 * threads wait for the end. When a handler fails again, exit() continues with the next handler.
 *
 * Whole lines. A write to stderr may be partial (a pipe that is nearly full, a signal), so one thread of the process
 * writes at a time. The lock word contains the process, so a child of fork() finds it free even if a thread of the
 * parent was writing. A thread waits for a second at most, because the writer may be stopped, and a signal handler does
 * not wait for the thread that it interrupted: a mixed line is better than a lost one.
 */
#include "base/check.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* All steps together take a second: each is twice as long as the one before, up to the longest. */
enum { WAIT_STEP_NS = 100000, LONGEST_STEP_NS = 12800000, WAIT_STEPS = 85 };
static _Atomic uint64_t writer; /* 0, or the thread that writes; a thread of another process counts as none */

/* A thread and its process: a child of fork() may have a thread of the same number. Not a thread-local variable,
   because signal handlers print messages, too (GHCOMP_TLS_COLD). */
static uint64_t this_thread(void)
{
    return (uint64_t)getpid() << 32 | (uint32_t)syscall(SYS_gettid);
}

static bool same_process(uint64_t one, uint64_t other)
{
    return one >> 32 == other >> 32;
}

/* cas_acquire pairs with the store_release of the previous writer. False: that thread still writes, or this is a signal
   handler in it. */
static bool may_write(uint64_t thread)
{
    struct timespec step = {.tv_nsec = WAIT_STEP_NS};
    for (int i = 0; i < WAIT_STEPS; i++) {
        uint64_t seen = ghcomp_load_relaxed(&writer);
        if (seen == thread)
            return false;
        if (!same_process(seen, thread) && ghcomp_cas_acquire(&writer, &seen, thread))
            return true;
        struct timespec left = step; /* the kernel may change it */
        syscall(SYS_ppoll, NULL, 0, &left, NULL, 0); /* no cancellation point */
        if (step.tv_nsec < LONGEST_STEP_NS)
            step.tv_nsec *= 2;
    }
    return false;
}

void ghcomp_put_text(const char *text, size_t length)
{
    bool entered = may_write(this_thread());
    while (length > 0) {
        /* Not write(), which is a cancellation point: a cancellation must not act inside the runtime. */
        ssize_t written = syscall(SYS_write, STDERR_FILENO, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            break;
        text += written;
        length -= (size_t)written;
    }
    if (entered)
        ghcomp_store_release(&writer, 0u);
}

/* Formats into a local buffer; a longer line is cut. */
static void put_line(const char *prefix, const char *format, va_list args)
{
    char line[1024];
    int used = snprintf(line, sizeof line, "%s", prefix);
    int more = vsnprintf(line + used, sizeof line - (size_t)used - 1, format, args);
    size_t length = strlen(line);
    (void)more;
    line[length++] = '\n';
    ghcomp_put_text(line, length);
}

#define PUT(prefix)                       \
    do {                                  \
        va_list args;                     \
        va_start(args, format);           \
        put_line(prefix, format, args);   \
        va_end(args);                     \
    } while (0)

/* The thread that ends its process. cas_relaxed: one thread wins. */
static _Atomic uint64_t ending;

/* True for the first caller in the process, false when the same thread calls it again. For other threads it does not
   return. */
static bool first_to_end(void)
{
    uint64_t thread = this_thread(), seen = ghcomp_load_relaxed(&ending);
    while (!same_process(seen, thread))
        if (ghcomp_cas_relaxed(&ending, &seen, thread))
            return true;
    while (seen != thread)
        syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0); /* pause() would be a cancellation point; not all have SYS_pause */
    return false;
}

void ghcomp_fatal(const char *format, ...)
{
    if (first_to_end())
        PUT("ghc-openmp: ");
    exit(EXIT_FAILURE);
}

void ghcomp_fatal_compat(const char *format, ...)
{
    if (first_to_end())
        PUT("\nlibgomp: ");
    exit(EXIT_FAILURE);
}

/* relaxed: a simultaneous warning of another thread may be printed or not. */
static _Atomic bool quiet;

void ghcomp_warn_quietly(bool quietly)
{
    ghcomp_store_relaxed(&quiet, quietly);
}

void ghcomp_warn(const char *format, ...)
{
    if (ghcomp_load_relaxed(&quiet))
        return;
    PUT("ghc-openmp: warning: ");
}

void ghcomp_warn_compat(const char *format, ...)
{
    if (ghcomp_load_relaxed(&quiet))
        return;
    PUT("\nlibgomp: ");
}

void ghcomp_fatal_libomp(const char *format, ...)
{
    if (first_to_end())
        PUT("OMP: Error: ");
    exit(EXIT_FAILURE);
}

void ghcomp_warn_libomp(const char *format, ...)
{
    if (ghcomp_load_relaxed(&quiet))
        return;
    PUT("OMP: Warning: ");
}

/* The bytes of the UTF-8 character that the text begins with, if it can be shown as it is; else 0. */
static size_t printable(const unsigned char *text, size_t length)
{
    unsigned char first = text[0];
    if (first < 0x80)
        return first >= ' ' && first != 0x7f;
    size_t bytes = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (bytes == 0 || bytes > length)
        return 0;
    uint32_t code = first & (0x7fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3fu);
    }
    static const uint32_t least[] = {0, 0, 0xa0, 0x800, 0x10000}; /* from 0x80 to 0x9f are control characters */
    return code >= least[bytes] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? bytes : 0;
}

struct ghcomp_shown ghcomp_shown_part(const char *text, size_t length)
{
    struct ghcomp_shown shown;
    const unsigned char *at = (const unsigned char *)text;
    size_t used = 0;
    while (length > 0) {
        size_t bytes = printable(at, length);
        if (used + (bytes > 0 ? bytes : 4) > GHCOMP_SHOWN) {
            memcpy(shown.text + used, "...", 3);
            used += 3;
            break;
        }
        if (bytes > 0)
            memcpy(shown.text + used, at, bytes);
        else
            snprintf(shown.text + used, 5, "\\x%02x", *at);
        used += bytes > 0 ? bytes : 4;
        at += bytes > 0 ? bytes : 1;
        length -= bytes > 0 ? bytes : 1;
    }
    shown.text[used] = '\0';
    return shown;
}

struct ghcomp_shown ghcomp_shown(const char *text)
{
    return ghcomp_shown_part(text, strlen(text));
}

void ghcomp_invariant_broken(const char *what, const char *file, int line)
{
    fprintf(stderr, "ghc-openmp: internal error: %s does not hold (%s:%d); please report this\n", what, file, line);
    abort();
}

static void *or_fatal(void *memory, size_t bytes)
{
    if (memory == NULL)
        ghcomp_fatal("out of memory: cannot allocate %zu bytes; raise the memory limit or use fewer threads", bytes);
    return memory;
}

void *ghcomp_alloc(size_t bytes)
{
    return or_fatal(malloc(bytes ? bytes : 1), bytes);
}

char *ghcomp_alloc_text(const char *text, size_t length)
{
    char *copy = memcpy(ghcomp_alloc(length + 1), text, length);
    copy[length] = '\0';
    return copy;
}

void *ghcomp_alloc_zeroed(size_t bytes)
{
    return or_fatal(calloc(1, bytes ? bytes : 1), bytes);
}

void *ghcomp_try_alloc_lines(size_t bytes)
{
    size_t whole = (bytes + GHCOMP_PAD_LINE - 1) / GHCOMP_PAD_LINE * GHCOMP_PAD_LINE;
    void *memory = aligned_alloc(GHCOMP_PAD_LINE, whole ? whole : GHCOMP_PAD_LINE);
    return memory != NULL ? memset(memory, 0, whole) : NULL;
}

void *ghcomp_alloc_lines(size_t bytes)
{
    return or_fatal(ghcomp_try_alloc_lines(bytes), bytes);
}

void ghcomp_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    if (pthread_atfork(prepare, parent, child) != 0)
        ghcomp_fatal("out of memory: the runtime cannot prepare for fork(); raise the memory limit");
}
