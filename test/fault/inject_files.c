/* The calls for files and for shared objects, as inject.c says. */
#include "inject.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- files -------------------------------------------------------------------------------------------------------- */

static mode_t mode_of(int flags, va_list rest)
{
    return flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(rest, int) : 0;
}

int open(const char *path, int flags, ...)
{
    INJECT(open, -1);
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return REAL(open)(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    INJECT(openat, -1);
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return REAL(openat)(folder, path, flags, mode);
}

/* What a failed read of `size` bytes gives: -1 for an error; else so many bytes, which may be none of the file's. */
static ssize_t bad_read(const struct plan *plan, char *to, size_t size, size_t got)
{
    if (plan->how > 0)
        return -1;
    if (plan->how == HOW_EMPTY)
        return 0;
    if (plan->how == HOW_SHORT)
        return got > 0 ? 1 : 0;
    /* Numbers that are too large, fields that are missing, lines that never end; at last the file does. */
    static int reads;
    static const char *const pieces[] = {"99999999999999999999 -1\n", "::\n", "0::/..\n", "-", ",,,0-", "\377\200",
                                         "1 1 1:1 / /x - cgroup2 c cpu\n", "cpu", " ", "18446744073709551615-2\n"};
    if (__atomic_add_fetch(&reads, 1, __ATOMIC_RELAXED) > 200)
        return 0;
    uint64_t mixed = (uint64_t)reads * 0x9e3779b97f4a7c15u + plan->seed;
    size_t used = 0;
    while (used < size) {
        mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9u;
        const char *piece = pieces[(mixed >> 33) % (sizeof pieces / sizeof pieces[0])];
        size_t length = strlen(piece) < size - used ? strlen(piece) : size - used;
        memcpy(to + used, piece, length);
        used += length;
    }
    return (ssize_t)size;
}

ssize_t read(int file, void *to, size_t size)
{
    const struct plan *plan = PLAN(read);
    if (plan == NULL || plan->how == HOW_SHORT)
        return REAL(read)(file, to, plan != NULL && size > 1 ? 1 : size);
    return bad_read(plan, to, size, size);
}

int close(int file)
{
    int result = REAL(close)(file); /* Linux closes it in any case */
    INJECT(close, -1);
    return result;
}

FILE *fopen(const char *path, const char *how)
{
    INJECT(fopen, NULL);
    WITHIN(FILE *, REAL(fopen)(path, how));
}

size_t fread(void *to, size_t size, size_t count, FILE *file)
{
    const struct plan *plan = PLAN(fread);
    size_t got = REAL(fread)(to, size, count, file);
    if (plan == NULL)
        return got;
    ssize_t instead = bad_read(plan, to, size * count, got);
    return instead > 0 ? (size_t)instead : 0;
}

int fclose(FILE *file)
{
    int result = REAL(fclose)(file);
    INJECT(fclose, EOF);
    return result;
}

size_t fwrite(const void *from, size_t size, size_t count, FILE *file)
{
    INJECT(fwrite, 0);
    WITHIN(size_t, REAL(fwrite)(from, size, count, file));
}

int fputs(const char *text, FILE *file)
{
    WITHIN(int, REAL(fputs)(text, file));
}

int fprintf(FILE *file, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bool ours = OURS;
    inject_inner += ours;
    int result = vfprintf(file, format, args);
    inject_inner -= ours;
    va_end(args);
    return result;
}

DIR *opendir(const char *path)
{
    INJECT(opendir, NULL);
    WITHIN(DIR *, REAL(opendir)(path));
}

struct dirent *readdir(DIR *folder)
{
    INJECT(readdir, NULL);
    return REAL(readdir)(folder);
}

int closedir(DIR *folder)
{
    int result = REAL(closedir)(folder);
    INJECT(closedir, -1);
    return result;
}

ssize_t readlinkat(int folder, const char *path, char *to, size_t size)
{
    INJECT(readlinkat, -1);
    return REAL(readlinkat)(folder, path, to, size);
}

int stat(const char *path, struct stat *status)
{
    INJECT(stat, -1);
    return REAL(stat)(path, status);
}

int fstat(int file, struct stat *status)
{
    INJECT(fstat, -1);
    return REAL(fstat)(file, status);
}

int fcntl(int file, int what, ...)
{
    INJECT(fcntl, -1);
    va_list rest;
    va_start(rest, what);
    long argument = va_arg(rest, long);
    va_end(rest);
    return REAL(fcntl)(file, what, argument);
}

int access(const char *path, int how)
{
    INJECT(access, -1);
    return REAL(access)(path, how);
}

char *realpath(const char *path, char *to)
{
    INJECT(realpath, NULL);
    WITHIN(char *, REAL(realpath)(path, to));
}

/* --- objects ------------------------------------------------------------------------------------------------------ */

void *dlopen(const char *path, int flags)
{
    if (PLAN(dlopen) != NULL)
        path = "/nowhere/the-call-is-made-to-fail.so"; /* so that dlerror has a text */
    return REAL(dlopen)(path, flags);
}

void *dlsym(void *handle, const char *name)
{
    INJECT(dlsym, NULL);
    return REAL(dlsym)(handle, name);
}

int dladdr(const void *address, Dl_info *info)
{
    INJECT(dladdr, 0);
    return REAL(dladdr)(address, info);
}

int dl_iterate_phdr(int (*function)(struct dl_phdr_info *, size_t, void *), void *data)
{
    INJECT(dl_iterate_phdr, 0);
    return REAL(dl_iterate_phdr)(function, data);
}
