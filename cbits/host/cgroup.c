/* The CPU quota of control groups, versions 1 and 2.
 *
 * /proc/self/cgroup names the process's groups, one line for each hierarchy: "0::/path" for version 2,
 * "4:cpu,cpuacct:/path" for version 1. A group is bound by its own quota and by those of all groups above it, so the
 * tightest one counts. In a container the hierarchy is often mounted from the container's own group, while the path is
 * told from outside it: folders that do not exist are passed over, and the mount's own folder, which is then the
 * container's group, is read in any case.
 *
 * The environment's constructor calls this (env.c), so it uses neither the heap nor stdio. Covered by
 * test/unit/cgroup.c.
 */
#include "host/cgroup.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/os.h"

/* The whole of a small file as a string; false when it can't be read. What does not fit is cut off. */
static bool read_text(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    size_t length = 0;
    ssize_t got;
    while (length < size - 1 && (got = read(file, text + length, size - 1 - length)) > 0)
        length += (size_t)got;
    close(file);
    text[length] = '\0';
    return true;
}

static bool read_in(const char *folder, const char *name, char *text, size_t size)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length > 0 && (size_t)length < sizeof path && read_text(path, text, size);
}

static bool exists(const char *folder)
{
    return access(folder, X_OK) == 0;
}

/* Whole CPUs of "quota" microseconds in each "period"; 0 when the texts give no bound. */
static uint32_t whole_cpus(const char *quota, const char *period)
{
    char *end;
    long long used = strtoll(quota, &end, 10);
    long long each = strtoll(period, NULL, 10);
    if (end == quota || used <= 0 || each <= 0) /* "max", "-1" */
        return 0;
    long long cpus = used / each + (used % each != 0);
    return cpus <= INT_MAX ? (uint32_t)cpus : 0;
}

static uint32_t quota_of_group(const char *folder, bool version2)
{
    char quota[64], period[64];
    if (version2) {
        if (!read_in(folder, "cpu.max", quota, sizeof quota))
            return 0;
        char *gap = strchr(quota, ' ');
        return gap != NULL ? whole_cpus(quota, gap + 1) : 0;
    }
    return read_in(folder, "cpu.cfs_quota_us", quota, sizeof quota) &&
                   read_in(folder, "cpu.cfs_period_us", period, sizeof period)
               ? whole_cpus(quota, period)
               : 0;
}

static uint32_t tighter(uint32_t a, uint32_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* The tightest quota of the group `path` below the folder `mount` and of the groups above it. */
static uint32_t quota_of_path(const char *mount, const char *path, bool version2)
{
    char folder[PATH_MAX];
    size_t base = strlen(mount);
    /* A path that leaves the visible hierarchy says nothing below the mount. */
    if (strstr(path, "/..") != NULL)
        path = "";
    int length = snprintf(folder, sizeof folder, "%s%s", mount, path);
    if (length < 0 || (size_t)length >= sizeof folder)
        return 0;
    uint32_t least = 0;
    for (;;) {
        least = tighter(least, quota_of_group(folder, version2));
        char *slash = strrchr(folder + base, '/');
        if (slash == NULL)
            return least;
        *slash = '\0';
    }
}

static bool has_cpu(const char *controllers)
{
    for (const char *at = controllers; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, "cpu", 3) == 0 && (at[3] == '\0' || at[3] == ','))
            return true;
    return false;
}

/* Where the hierarchy is mounted. Version 1: a folder named after its controllers, in whatever order, or after one of
   them. Version 2: the root itself, or `unified` beside version 1's. */
static bool find_mount(char *mount, size_t size, const char *root, const char *controllers, bool version2)
{
    const char *const names[] = {controllers, "cpu", "cpu,cpuacct", "cpuacct,cpu"};
    if (version2) {
        snprintf(mount, size, "%s/unified", root);
        if (!exists(mount))
            snprintf(mount, size, "%s", root);
        return true;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(mount, size, "%s/%s", root, names[i]);
        if (exists(mount))
            return true;
    }
    return false;
}

/* One line of the membership file: its quota. The line is taken apart in place. */
static uint32_t quota_of_line(char *line, const char *root)
{
    char *controllers = strchr(line, ':');
    char *path = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
    if (path == NULL || path[1] != '/')
        return 0;
    *path++ = '\0';
    controllers++;
    if (strcmp(path, "/") == 0)
        path = "";
    bool version2 = *controllers == '\0';
    char mount[PATH_MAX];
    if ((!version2 && !has_cpu(controllers)) || !find_mount(mount, sizeof mount, root, controllers, version2))
        return 0;
    return quota_of_path(mount, path, version2);
}

uint32_t ghcomp_cgroup_quota(const char *membership, const char *root)
{
    char text[8192];
    if (!read_text(membership, text, sizeof text))
        return 0;
    uint32_t least = 0;
    char *rest;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        least = tighter(least, quota_of_line(line, root));
    return least;
}

uint32_t ghcomp_cgroup_cpus(bool ignore_quota)
{
    uint32_t cpus = ghcomp_os_cpus();
    if (cpus == 1 || ignore_quota)
        return cpus;
    uint32_t quota = ghcomp_cgroup_quota("/proc/self/cgroup", "/sys/fs/cgroup");
    return quota != 0 && quota < cpus ? quota : cpus;
}
