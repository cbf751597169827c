/* How many threads a process can have at all, by the kernel's own limits.
 *
 * A trial would create thousands of threads before the kernel refuses one, and meanwhile other processes could not
 * fork. So impossible requests are refused without a trial. The limits:
 *
 *   kernel.threads-max   threads of the system, which the kernel derives from the machine's memory
 *   kernel.pid_max       numbers of threads of the system
 *   vm.max_map_count     mappings of a process: two for a thread's stack, its pages and their guard, with the C library
 *                        before 2.42, whose guards are no mappings of their own any more
 *   4,194,304            what a futex's word can hold of a thread's number: where no file can be read
 *
 * Called by haskell/region.c. Covered by test/unit/thread_limits.c.
 */
#include "host/thread_limits.h"

#include <fcntl.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 1 << 22 };

/* The number in a file; `otherwise` if there is none. */
static unsigned long number_in(const char *root, const char *name, unsigned long otherwise)
{
    char path[PATH_MAX], text[32], *end;
    int length = snprintf(path, sizeof path, "%s/proc/sys/%s", root, name);
    int file = length > 0 && (size_t)length < sizeof path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return otherwise;
    ssize_t got = read(file, text, sizeof text - 1);
    close(file);
    text[got > 0 ? got : 0] = '\0';
    unsigned long number = strtoul(text, &end, 10);
    return end == text || number == 0 ? otherwise : number;
}

static bool guards_are_mappings(void)
{
    enum { WITHOUT = 42 };
    const char *version = gnu_get_libc_version();
    return version[0] == '2' && version[1] == '.' && strtoul(version + 2, NULL, 10) < WITHOUT;
}

uint32_t ghcomp_threads_most(const char *root, const char **limit)
{
    unsigned long most = MOST, number;
    *limit = "the kernel's numbers of threads";
    if ((number = number_in(root, "kernel/threads-max", MOST)) < most) {
        most = number;
        *limit = "kernel.threads-max";
    }
    if ((number = number_in(root, "kernel/pid_max", MOST)) < most) {
        most = number;
        *limit = "kernel.pid_max";
    }
    if (guards_are_mappings() && (number = number_in(root, "vm/max_map_count", 2 * (unsigned long)MOST) / 2) < most) {
        most = number;
        *limit = "vm.max_map_count";
    }
    return (uint32_t)most;
}
