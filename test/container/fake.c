/* Preloaded: the files of control groups are read below the folder GHCOMP_TEST_ROOT. So a test shows a process the
   inside of a container without permission to make one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *moved(const char *path, char *room, size_t size)
{
    static const char *const names[] = {"/proc/self/cgroup", "/proc/self/mountinfo", "/sys/fs/cgroup"};
    const char *root = getenv("GHCOMP_TEST_ROOT");
    for (size_t i = 0; root != NULL && i < sizeof names / sizeof names[0]; i++)
        if (strncmp(path, names[i], strlen(names[i])) == 0) {
            snprintf(room, size, "%s%s", root, path);
            return room;
        }
    return path;
}

#define MOVE(name)                                                                                                     \
    int name(const char *path, int flags, ...)                                                                         \
    {                                                                                                                  \
        char room[4096];                                                                                               \
        va_list more;                                                                                                  \
        va_start(more, flags);                                                                                         \
        int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, int) : 0;                                              \
        va_end(more);                                                                                                  \
        int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #name);                \
        return real(moved(path, room, sizeof room), flags, mode);                                                      \
    }
MOVE(open)
MOVE(open64)
