/* A machine with NUMA nodes for the runtime in this process, whatever machine it runs on: the system's functions that
 * say what CPUs and nodes there are, and that place memory, are the program's. CPUs 0 to 7 are usable, CPU c is on node
 * NODE(c), and the requests to place memory are recorded, not made. Include it in one file of a program. */
#pragma once

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../common.h"

enum { CPUS = 8, MOST = 4096, PREFERRED = 1, INTERLEAVE = 3, MEMS_ALLOWED = 4 };
#define NODE(cpu) (7 - (cpu) / 2 * 2) /* 7 7 5 5 3 3 1 1 */
static const unsigned long node_bits = 1u << 7 | 1u << 5 | 1u << 3 | 1u << 1;

/* Set by the test, from one thread. */
static int here_cpu;                            /* where the calling thread seems to run */
static int denied;                              /* errno of all that concerns nodes, or 0 */
static unsigned long memory_nodes = node_bits;  /* with memory for the process */
static struct request {
    char *memory;
    size_t size;
    int mode;
    unsigned long nodes;
} requests[MOST];
static int requested;

static long place(struct request request)
{
    if (denied != 0) {
        errno = denied;
        return -1;
    }
    CHECK(requested < MOST && (uintptr_t)request.memory % 4096 == 0 && request.size % 4096 == 0);
    requests[requested++] = request;
    return 0;
}

long syscall(long number, ...);
long syscall(long number, ...)
{
    static long (*real)(long, ...);
    __builtin_va_list more;
    long a[6];
    __builtin_va_start(more, number);
    for (int i = 0; i < 6; i++)
        a[i] = __builtin_va_arg(more, long);
    __builtin_va_end(more);
    if (number == SYS_sched_getaffinity) {
        memset((void *)a[2], 0, 8);
        *(unsigned char *)a[2] = (1 << CPUS) - 1;
        return 8;
    }
    if (number == SYS_mbind)
        return place((struct request){(char *)a[0], (size_t)a[1], (int)a[2], *(unsigned long *)a[3]});
    if (number == SYS_get_mempolicy) {
        CHECK(a[4] == MEMS_ALLOWED && a[2] > 64);
        *(unsigned long *)a[1] = memory_nodes;
        errno = denied != 0 ? denied : errno;
        return denied != 0 ? -1 : 0;
    }
    if (real == NULL)
        real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int sched_getcpu(void)
{
    return here_cpu;
}

/* The directory of a CPU has an entry nodeN. Of the other files there are none. */
static const char cpu_files[] = "/sys/devices/system/cpu";

DIR *opendir(const char *path)
{
    static DIR *(*real)(const char *);
    char fake[64] = "/tmp/nodesXXXXXX", entry[128];
    int cpu;
    if (real == NULL)
        real = (DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir");
    if (strncmp(path, cpu_files, strlen(cpu_files)) != 0)
        return real(path);
    CHECK(sscanf(path + strlen(cpu_files), "/cpu%d", &cpu) == 1 && mkdtemp(fake) != NULL);
    snprintf(entry, sizeof entry, "%s/node%d", fake, NODE(cpu));
    CHECK(symlink("nowhere", entry) == 0);
    return real(fake);
}

int closedir(DIR *folder)
{
    static int (*real)(DIR *);
    char link[64], path[256] = "";
    if (real == NULL)
        real = (int (*)(DIR *))dlsym(RTLD_NEXT, "closedir");
    snprintf(link, sizeof link, "/proc/self/fd/%d", dirfd(folder));
    if (readlink(link, path, sizeof path - 1) > 0 && strncmp(path, "/tmp/nodes", 10) == 0) {
        for (int node = 0; node < 8; node++) {
            char entry[300];
            snprintf(entry, sizeof entry, "%s/node%d", path, node);
            unlink(entry);
        }
        rmdir(path);
    }
    return real(folder);
}

FILE *fopen(const char *path, const char *mode)
{
    static FILE *(*real)(const char *, const char *);
    if (real == NULL)
        real = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
    return strncmp(path, cpu_files, strlen(cpu_files)) == 0 ? NULL : real(path, mode);
}
